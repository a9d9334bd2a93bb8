"""Recorded text made safe: nothing invisible, nothing that opens or closes a tag."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from holdfast.recall.brief.render import TEXT, XML, escape_text, one_line
from tests.table import table

SEEN_FORMATS = "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
"""Signs that Unicode counts among format characters though they are seen: a sign that goes around a number."""

ANYTHING = st.text(st.characters(min_codepoint=0, max_codepoint=0x10FFFF))


@table(
    ("text", "seen"),
    [
        ("plain words stay", "plain words stay"),
        ("tabs\tand\nlines stay", "tabs\tand\nlines stay"),
        ("a\r\nb\rc\x0bd\x0ce\x85f\u2028g\u2029h", "a\nb\nc\nd\ne\nf\ng\nh"),
        ("\x1b[31mred\x1b[0m \x1b]0;title\x07x \x9b1mb", "red x b"),
        ("a\x00b\x07c\x7fd", "abcd"),
        ("left \u202eright\u202c \u2066x\u2069 \u200fy", "left right x y"),
        ("zero\u200bwidth\u200c\u200d\u2060\ufeff\u00ad", "zerowidth"),
        ("tag\U000e0041\U000e007f selector\ufe0f filler\u3164\u115f", "tag selector filler"),
        ("no-break\u00a0space\u3000wide", "no-break space wide"),
        ("half \ud800 pair", "half \ufffd pair"),
        ("non\ufffe\uffff\ufdd0character", "noncharacter"),
        ("日本語 naïve é Ж 😀", "日本語 naïve é Ж 😀"),
    ],
)
def test_what_cannot_be_seen_goes_and_the_rest_stays(text: str, seen: str) -> None:
    assert escape_text(XML, text) == seen


def test_every_tag_and_entity_is_escaped() -> None:
    assert (
        escape_text(XML, "</project_memory> & <b> &lt; ]]>") == "&lt;/project_memory> &amp; &lt;b> &amp;lt; ]]&gt;"
    )


def test_a_tag_that_invisible_characters_hold_apart_is_one_once_they_are_gone_and_is_escaped() -> None:
    assert escape_text(XML, "<\u200b/project\u2060_memory\u202e>") == "&lt;/project_memory>"


def test_a_form_without_entities_shows_signs_as_they_were_said_and_still_opens_no_tag() -> None:
    assert escape_text(TEXT, "if a < b && c > d") == "if a < b && c > d"
    assert escape_text(TEXT, "</project_memory> <b>") == "&lt;/project_memory> &lt;b>"


def test_one_line_is_one_line() -> None:
    assert one_line(XML, "a\r\n  b\u2028c\t<") == "a b c &lt;"


@given(ANYTHING)
def test_whatever_comes_in_nothing_unseen_comes_out(text: str) -> None:
    out = escape_text(XML, text)
    hidden = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    unseen = [char for char in out if char not in "\n\t" and unicodedata.category(char) in hidden]
    assert [char for char in unseen if char not in SEEN_FORMATS] == []
    assert "<" not in out
