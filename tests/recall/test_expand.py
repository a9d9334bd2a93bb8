"""Terms that match nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.recall.expand import allowed_slips, expansions, slips

WORDS = {"postgres": 9, "postgresql": 4, "database": 7, "databank": 1, "cache": 3, "caches": 5}


def test_longer_forms_come_first_by_frequency() -> None:
    assert expansions("postg", WORDS) == ["postgres", "postgresql"]
    assert expansions("cach", WORDS) == ["caches", "cache"]


def test_a_misspelling_finds_the_nearest_word() -> None:
    assert expansions("databsae", WORDS) == ["database"]
    assert expansions("cahce", WORDS) == ["cache"]


def test_the_first_letter_must_be_right() -> None:
    assert expansions("vatabase", WORDS) == []


def test_short_words_and_numbers_are_not_misspelt() -> None:
    assert expansions("dab", {"dbb": 1}) == []
    assert expansions("12345", {"12346": 1}) == []


def test_at_most_so_many_words_come_back() -> None:
    assert expansions("postg", WORDS, limit=1) == ["postgres"]


@pytest.mark.parametrize(
    ("one", "other", "count"),
    [("abcd", "abcd", 0), ("abcd", "abdc", 1), ("abcd", "abc", 1), ("abcd", "axcd", 1), ("abcd", "dcba", 3)],
)
def test_slips_are_counted_up_to_the_limit(one: str, other: str, count: int) -> None:
    assert slips(one, other, 2) == count


@given(st.text("abc", max_size=8), st.text("abc", max_size=8))
def test_slips_are_symmetric(one: str, other: str) -> None:
    assert slips(one, other, 20) == slips(other, one, 20)


def test_longer_words_may_hold_two_slips() -> None:
    assert [allowed_slips(word) for word in ("abc", "abcd", "abcdefgh", "ab1d")] == [0, 1, 2, 0]
