"""The line on which a setting stands, whatever the author's way of writing TOML."""

import tomllib

from hypothesis import given
from hypothesis import strategies as st

from holdfast.settings.files import line_of

LONG = '''# floor = 1
[search] # floor
fusion = """
x
"""
floor = 3 # floor
[redact]
allow = [
  "floor",
  "x",
]
'''


LINES = (
    (LONG, "search.floor", 6),
    (LONG, "search.fusion", 3),
    (LONG, "redact.allow", 8),
    ("a = 1\nstore.path = 'x'\n", "store.path", 2),
    ("store = { tenant = 'y', path = 'x' }\n", "store.path", None),
    ("[store]\n\n[project.id]\nx = 1\n", "project.id", 3),
    ('[store]\n"path" = 1\n', "store.path", 2),
    ('[store]\n"p\\u0061th" = 1\n', "store.path", None),
)


def test_a_key_is_found_where_it_is_given_its_value() -> None:
    assert [(text, key, line_of(text, key)) for text, key, _ in LINES] == list(LINES)


NAMES = st.sampled_from(["ab", "abc", "b", "bc", "c"])
SECTIONS = st.dictionaries(NAMES, st.dictionaries(NAMES, st.integers(0, 9), max_size=3), max_size=3)


@given(SECTIONS)
def test_every_key_of_a_file_is_found(sections: dict[str, dict[str, int]]) -> None:
    """Names that stand in other names, and in comments, mislead nobody."""
    lines, expected = [], {}
    for section, entries in sections.items():
        lines += [f"# {section}.ab = 1", f"[{section}]"]
        for name, value in entries.items():
            lines.append(f"{name} = {value} # ab abc")
            expected[f"{section}.{name}"] = len(lines)
    text = "\n".join(lines)
    tomllib.loads(text)
    assert {key: line_of(text, key) for key in expected} == expected
