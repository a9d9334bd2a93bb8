"""A name that is none is led to the one that was meant, and one that is like nothing is left alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.model.nearest import nearest, suggestion

COMMANDS = ("search", "session", "serve", "status", "stats", "list", "log", "forget", "install", "uninstall")
KEYS = (
    "store.path",
    "store.synchronous",
    "search.floor",
    "brief.nudge",
    "brief.start_budget",
    "search.postings_budget",
)
WORDS = st.text("abcdefgh.", min_size=1, max_size=12)


def test_a_slip_leads_to_the_command_that_was_meant(subtests: pytest.Subtests) -> None:
    for typed, meant in [
        ("serch", ["search"]),
        ("lsit", ["list"]),
        ("lst", ["list"]),
        ("Status", ["status"]),
        ("stat", ["stats", "status"]),
        ("instal", ["install", "uninstall"]),
        ("reinstall", ["install", "uninstall"]),
        ("catalog", []),
        ("frobnicate", []),
        ("x", []),
        ("", []),
    ]:
        with subtests.test(typed=typed, meant=meant):
            assert nearest(typed, COMMANDS) == meant


def test_half_of_a_key_is_enough(subtests: pytest.Subtests) -> None:
    for typed, meant in [
        ("stroe.path", ["store.path"]),
        ("store.sync", ["store.synchronous"]),
        ("brief.budget", ["brief.start_budget"]),
        ("budget", ["brief.start_budget", "search.postings_budget"]),
        ("brief.budgt", ["brief.start_budget"]),
        ("breif.budget", ["brief.start_budget"]),
        ("brief.mudge", ["brief.nudge"]),
        ("brief.colour", []),
        ("synchronous", ["store.synchronous"]),
    ]:
        with subtests.test(typed=typed, meant=meant):
            assert nearest(typed, KEYS) == meant


def test_suggestions_read_as_the_end_of_a_question() -> None:
    assert suggestion("ston", ["stone"]) == "stone"
    assert suggestion("stat", ["stats", "status"], "`{}`") == "`stats` or `status`"
    assert suggestion("abx", ["abc", "abd", "abe", "abf"]) == "abc, abd or abe"
    assert suggestion("zzz", COMMANDS) == ""


@given(WORDS, st.integers(0, 11), st.sampled_from("abcdefgh"))
def test_one_letter_more_or_less_is_always_found(word: str, place: int, letter: str) -> None:
    assert nearest(word[:place] + letter + word[place:], [word]) == [word]
    shorter = word[:place] + word[place + 1 :]
    assert nearest(shorter, [word]) == [word] or len(word) == 1


@given(st.lists(WORDS, unique=True, min_size=1, max_size=8))
def test_a_name_is_nearest_to_itself(names: list[str]) -> None:
    assert nearest(names[0], names)[0] == names[0]
