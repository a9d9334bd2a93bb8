"""The block at the top of a Markdown file is read simply, and written so that it reads back the same."""

from hypothesis import given
from hypothesis import strategies as st

from holdfast.export.formats import FrontmatterValue as Value
from holdfast.export.formats import join_frontmatter as join
from holdfast.export.formats import split_frontmatter as split

NAMES = st.from_regex(r"[a-z][a-z_]{0,12}", fullmatch=True)
TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=40)
NUMBERS = st.integers(-(10**12), 10**12) | st.floats(0, 1).map(lambda number: round(number, 6) + 0.5)
VALUES: st.SearchStrategy[Value] = (
    TEXTS.filter(lambda text: text != "")
    | NUMBERS
    | st.booleans()
    | st.lists(TEXTS, max_size=5)
    | st.dictionaries(TEXTS, TEXTS, max_size=3)
)
BODIES = st.text(st.characters(exclude_categories=["Cs", "Cc"])).map(str.strip)


@given(st.dictionaries(NAMES, VALUES, max_size=6), BODIES)
def test_what_is_written_reads_back_the_same(values: dict[str, Value], body: str) -> None:
    read, text = split(join(values, body))
    assert (read, text.strip("\n")) == (values, body.strip("\n"))


def test_lists_come_in_brackets_or_with_dashes() -> None:
    values, _ = split("---\ntags: [a, 'b c', \"d\"]\naliases:\n- x\n  - y\nempty:\n---\nbody")
    assert values == {"tags": ["a", "b c", "d"], "aliases": ["x", "y"], "empty": None}


def test_texts_numbers_and_switches_are_what_they_look_like() -> None:
    values, body = split("---\ntitle: It's: a note\nn: 12\nx: 0.5\ndone: true\nid: '01'\n---\n\nbody\n---\nrest")
    assert values == {"title": "It's: a note", "n": 12, "x": 0.5, "done": True, "id": "01"}
    assert body == "\nbody\n---\nrest"


def test_a_file_without_the_block_is_all_body() -> None:
    for text in ("no block", "---\nunclosed: true\n", "text\n---\na: 1\n---\n"):
        assert split(text) == ({}, text)


def test_what_yaml_could_do_besides_is_taken_as_text() -> None:
    values, _ = split("---\na: &x [*x, *x]\nb: !!python/object:os.system\nc: {d: 1}\nnested:\n  deep: 1\n---\n")
    assert values == {"a": "&x [*x, *x]", "b": "!!python/object:os.system", "c": "{d: 1}", "nested": None}
