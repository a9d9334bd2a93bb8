"""Editing a settings file: one key changes, and every other byte stays."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import ConfigError
from holdfast.settings.files import with_key, without_key

FULL = """# everything
[store]
synchronous = "full"   # power loss "here" # really
# a note on the next one
busy_timeout_ms = 100

# about searching
[search]
floor=0.1
"""


CHANGES: tuple[tuple[str, str | float | bool, str, str], ...] = (
    ("store.synchronous", "normal", '"full"   # power', '"normal"   # power'),
    ("search.floor", 0.5, "floor=0.1", "floor=0.5"),
    ("store.busy_timeout_ms", 7, "= 100", "= 7"),
    ("store.path", "a b", "= 100\n", '= 100\npath = "a b"\n'),
    ("search.postings_budget", 200, "floor=0.1\n", "floor=0.1\npostings_budget = 200\n"),
    ("project.enabled", False, "floor=0.1\n", "floor=0.1\n\n[project]\nenabled = false\n"),
)


def test_only_the_key_changes() -> None:
    edits = [with_key(FULL, key, value, "here") for key, value, _, _ in CHANGES]
    assert edits == [FULL.replace(before, after) for _, _, before, after in CHANGES]


def test_an_empty_file_gets_a_section() -> None:
    assert with_key("", "user.name", "ada", "here") == '[user]\nname = "ada"\n'


def test_a_dotted_key_is_changed_where_it_stands() -> None:
    assert with_key("search . floor = 0.1\n", "search.floor", 0.2, "here") == "search . floor = 0.2\n"


def test_line_ends_stay_as_they_are() -> None:
    assert with_key("[user]\r\nname = 'a'\r\n", "user.name", "b", "here") == '[user]\r\nname = "b"\r\n'


def test_a_key_is_taken_out_with_its_line() -> None:
    assert without_key(FULL, "search.floor", "here") == FULL.replace("floor=0.1\n", "")
    assert without_key(FULL, "user.name", "here") == FULL


FORMS = (
    ("search = {floor = 0.1}\n", "search = {floor = 0.2}\n"),
    ("search.postings_budget = 200\n", "search.postings_budget = 200\nsearch.floor = 0.2\n"),
    ("[search]\nfloor = [\n0.1 ]\n", "[search]\nfloor = 0.2\n"),
    ('[user]\nname = """\n[search]\nfloor = 1\n"""\n', None),
)


def test_whatever_form_a_key_stands_in_it_is_set() -> None:
    edits = [(text, with_key(text, "search.floor", 0.2, "here")) for text, _ in FORMS]
    assert edits == [(text, edited or f"{text}\n[search]\nfloor = 0.2\n") for text, edited in FORMS]


def test_a_section_that_is_no_table_is_left_to_its_author() -> None:
    with pytest.raises(ConfigError, match="search"):
        with_key("search = 5\n", "search.floor", 0.2, "here")


def test_a_file_that_is_no_toml_is_refused() -> None:
    with pytest.raises(ConfigError, match="is not valid TOML"):
        with_key("[search\n", "search.floor", 0.2, "here")


@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_any_text_is_written_so_that_it_is_read_back(text: str) -> None:
    """Or refused; never written as something else."""
    try:
        made = with_key(FULL, "user.name", text, "here")
    except ConfigError:
        assert "\x7f" in text
    else:
        assert tomllib.loads(made)["user"] == {"name": text}
