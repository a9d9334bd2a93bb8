"""JSON with comments, changed as text: nothing of anybody else's moves."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.agents import documents
from tests.rows import each

COMMENTED = """{
  // about the theme
  "theme": "dark", // keep
  /* hooks of mine */
  "hooks": {
    "Stop": [
      { "command": "mine" } // my own
    ]
  }
}
"""


def test_a_member_goes_behind_the_last_in_the_layout_of_the_file() -> None:
    text = '{\n    "a": 1,\n    "b": {\n        "c": 2\n    }\n}\n'
    assert documents.with_member(text, ("b", "d"), [1]) == (
        '{\n    "a": 1,\n    "b": {\n        "c": 2,\n        "d": [\n            1\n        ]\n    }\n}\n'
    )


def test_comments_stay_with_what_they_are_about() -> None:
    text = documents.with_item(COMMENTED, ("hooks", "Stop"), {"command": "ours"})
    text = documents.with_member(text, ("servers", "ours"), {"on": True})
    assert text == (
        "{\n"
        "  // about the theme\n"
        '  "theme": "dark", // keep\n'
        "  /* hooks of mine */\n"
        '  "hooks": {\n'
        '    "Stop": [\n'
        '      { "command": "mine" }, // my own\n'
        "      {\n"
        '        "command": "ours"\n'
        "      }\n"
        "    ]\n"
        "  },\n"
        '  "servers": {\n'
        '    "ours": {\n'
        '      "on": true\n'
        "    }\n"
        "  }\n"
        "}\n"
    )


def test_what_was_put_in_can_be_taken_out_again() -> None:
    text = documents.with_item(COMMENTED, ("hooks", "Stop"), {"command": "ours"})
    text = documents.without_items(text, ("hooks", "Stop"), lambda item: item == {"command": "ours"})
    assert text == COMMENTED


@each(
    "text, made",
    [
        ("", '{}\n{\n  "a": 1\n}\n'),
        ("{}", '{\n  "a": 1\n}'),
        ("{\n}\n", '{\n  "a": 1\n}\n'),
        ('{"b": 2}', '{"b": 2, "a": 1}'),
        ('{"b": 2,}', '{"b": 2, "a": 1}'),
        ('{\n\t"b": 2,\n}', '{\n\t"b": 2,\n\t"a": 1,\n}'),
        ('{\r\n  "b": 2\r\n}\r\n', '{\r\n  "b": 2,\r\n  "a": 1\r\n}\r\n'),
        ("{ // mine\n}", '{ // mine\n  "a": 1\n}'),
        ('\ufeff{"b": 2}', '\ufeff{"b": 2, "a": 1}'),
        ('{"a": 5}', '{"a": 1}'),
    ],
)
def test_a_member_fits_into_every_layout(text: str, made: str) -> None:
    if text == "":
        made = made.removeprefix("{}\n")
    assert documents.with_member(text, ("a",), 1) == made
    assert documents.loads(made) == documents.loads(text) | {"a": 1}  # type: ignore[operator]  # they are objects


@each(
    "text, left",
    [
        ('{"a": 1}', "{}"),
        ('{\n  "a": 1\n}\n', "{}\n"),
        ('{\n  "a": 1,\n  "b": 2\n}', '{\n  "b": 2\n}'),
        ('{\n  "b": 2,\n  "a": 1\n}', '{\n  "b": 2\n}'),
        ('{\n  "b": 2,\n  "a": 1,\n}', '{\n  "b": 2,\n}'),
        ('{\n  "b": 2, // two\n  // one\n  "a": 1\n}', '{\n  "b": 2 // two\n  // one\n}'),
        ('{"b": 2}', '{"b": 2}'),
    ],
)
def test_a_member_leaves_every_layout(text: str, left: str) -> None:
    assert documents.without_member(text, ("a",)) == left


@each(
    "text, problem",
    [
        ('{"a": }', "line 1: a value is missing"),
        ('{\n"a" 1}', "line 2: a colon is missing"),
        ("{a: 1}", "line 1: a name in quotes is missing"),
        ('{"a": 1 "b": 2}', "line 1: a comma or } is missing"),
        ("{} x", "line 1: something follows the value"),
        ('{"a": 01}', "line 1: a value is missing, or is not JSON"),
        ("{", "line 1: a name in quotes is missing"),
    ],
)
def test_what_is_not_json_is_refused_with_its_line(text: str, problem: str) -> None:
    with pytest.raises(documents.Unreadable, match=problem):
        documents.with_member(text, ("x",), 1)


def test_what_is_there_and_of_another_kind_is_not_overwritten() -> None:
    with pytest.raises(documents.Unreadable, match="hooks is not an object"):
        documents.with_item('{"hooks": 3}', ("hooks", "Stop"), 1)
    with pytest.raises(documents.Unreadable, match="is not a list"):
        documents.with_item('{"hooks": {"Stop": {}}}', ("hooks", "Stop"), 1)
    with pytest.raises(documents.Unreadable, match="the whole is not an object"):
        documents.with_member("[]", ("a",), 1)


BLANKS = st.sampled_from(["", " ", "\n", "\n  ", "\t", " // note\n", " /* note */ ", "\r\n"])
FLIP = st.booleans()
SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=5)


@st.composite
def texts(draw: st.DrawFn, depth: int = 2) -> str:
    """Write an object with comments and blanks anywhere, and a last comma now and then."""
    parts = []
    for name in draw(st.lists(st.text(max_size=4), max_size=3, unique=True)):
        nested = draw(FLIP) if depth else False
        value = draw(texts(depth - 1)) if nested else json.dumps(draw(SCALARS))
        if draw(FLIP):
            value = f"[{draw(BLANKS)}{value}{draw(BLANKS)}]"
        parts.append(f"{draw(BLANKS)}{json.dumps(name)}{draw(BLANKS)}:{draw(BLANKS)}{value}{draw(BLANKS)}")
    trailing: bool = draw(FLIP)
    comma = "," if parts and trailing else ""
    return "{" + ",".join(parts) + comma + draw(BLANKS) + "}"


@given(texts())
def test_a_member_is_set_and_removed_whatever_the_file_looks_like(text: str) -> None:
    before = documents.loads(text)
    assert isinstance(before, dict)
    with_it = documents.with_member(text, ("ours", "x"), {"y": [1, 2]})
    assert documents.loads(with_it) == before | {"ours": {"x": {"y": [1, 2]}}}
    assert with_it.count("note") == text.count("note")
    without = documents.without_member(with_it, ("ours",))
    assert documents.loads(without) == before
    assert without.count("note") == text.count("note")


@given(texts())
def test_items_are_added_and_removed_whatever_the_file_looks_like(text: str) -> None:
    before = documents.loads(text)
    assert isinstance(before, dict)
    twice = documents.with_item(documents.with_item(text, ("ours list",), "one"), ("ours list",), "two")
    assert documents.loads(twice) == before | {"ours list": ["one", "two"]}
    once = documents.without_items(twice, ("ours list",), lambda item: item == "one")
    assert documents.loads(once) == before | {"ours list": ["two"]}
    assert once.count("note") == text.count("note")


@each(
    "text, left",
    [
        (
            '{\n  "a": 1, // mine\n  "ours": 2, "b": 3\n}',
            '{\n  "a": 1, // mine\n   "b": 3\n}',
        ),
        ('{ // mine\n  "ours": 2 }', "{ // mine\n   }"),
        ('{\n  "a": 1, // mine\n  "ours": 2, // b\n  "b": 3\n}', '{\n  "a": 1, // mine\n   // b\n  "b": 3\n}'),
    ],
)
def test_what_follows_on_our_line_is_not_drawn_into_a_comment_above(text: str, left: str) -> None:
    assert documents.without_member(text, ("ours",)) == left
