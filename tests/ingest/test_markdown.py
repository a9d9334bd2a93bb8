"""Markdown is cut at headings, paragraphs and list items, and code is left alone."""

from holdfast.ingest.markdown import Block, Section, blocks, sections, without_comments

DOCUMENT = """\
Before any heading.

# Guide #

## Setup

Run `make`.

```sh
# not a heading
make
```

Underlined
----------

- first
  and its second line

  a paragraph of it
- second

  ```
- not an item
  ```

After the list.

## Empty

### Deep
text
"""


def test_sections_carry_the_trail_of_their_headings_and_empty_ones_are_left_out() -> None:
    assert [(one.trail, one.line) for one in sections(DOCUMENT)] == [
        ((), 1),
        (("Guide", "Setup"), 7),
        (("Guide", "Underlined"), 17),
        (("Guide", "Empty", "Deep"), 32),
    ]


def test_a_heading_inside_code_is_no_heading() -> None:
    assert sections(DOCUMENT)[1].body == "Run `make`.\n\n```sh\n# not a heading\nmake\n```"
    assert sections("~~~\n# a\n```\n# b\n~~~\n# c\nd")[0].body == "~~~\n# a\n```\n# b\n~~~"


def test_an_unclosed_fence_reaches_to_the_end() -> None:
    assert [one.trail for one in sections("# a\n```\n# b\n")] == [("a",)]


def test_a_list_item_keeps_what_is_indented_below_it() -> None:
    assert list(blocks(sections(DOCUMENT)[2])) == [
        Block("first\n  and its second line\n\n  a paragraph of it", 17, True),
        Block("second\n\n  ```\n- not an item\n  ```", 21, True),
        Block("After the list.", 27, False),
    ]


def test_paragraphs_are_told_apart_by_blank_lines_and_code_belongs_to_its_paragraph() -> None:
    section = Section(("x",), "one\ntwo\n\n1. step\n2. step\n\n```\na\n\nb\n```", 1)
    assert [one.text for one in blocks(section)] == ["one\ntwo", "1. step\n2. step", "```\na\n\nb\n```"]


def test_comments_are_what_nobody_sees() -> None:
    assert without_comments("a<!-- hidden\nover lines -->b") == "ab"
