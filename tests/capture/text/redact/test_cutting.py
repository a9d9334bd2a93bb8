"""Cutting a huge text never leaves half a secret."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from holdfast.capture.text.redact import cut, redact
from tests.capture.text.redact.token_formats import CASES, assembled

TOKEN = assembled("github-token", CASES["github-token"])[1]


def test_short_text_is_kept_whole() -> None:
    assert cut("short text", 10) == ("short text", False)


def test_text_is_cut_behind_the_last_white_space() -> None:
    assert cut("alpha beta gamma", 13) == ("alpha beta ", True)


def test_text_is_cut_at_the_limit_when_a_word_ends_there() -> None:
    assert cut("alpha beta gamma", 10) == ("alpha beta", True)


def test_without_white_space_it_is_cut_behind_the_last_separator() -> None:
    assert cut("aaaa,bbbb,cccc", 12) == ("aaaa,bbbb,", True)


def test_one_endless_word_is_cut_at_the_limit() -> None:
    assert cut("a" * 30_000, 20_000) == ("a" * 20_000, True)


@given(st.integers(0, 120))
def test_no_part_of_a_token_is_left_by_a_cut(limit: int) -> None:
    text = f"first some words, then {TOKEN} and the rest of the text"
    kept, _ = cut(text, limit)
    assert len(kept) <= max(limit, 0)
    assert TOKEN[:8] not in redact(kept)[0]
