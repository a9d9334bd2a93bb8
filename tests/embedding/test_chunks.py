"""Cutting long texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.embedding.passages import chunks, pieces, sentences


def test_a_short_text_is_its_only_piece() -> None:
    assert chunks("short") == ["short"]


def test_no_text_is_one_empty_piece() -> None:
    assert chunks("") == [""]


def test_pieces_overlap_and_end_at_white_space() -> None:
    found = chunks("alpha beta gamma delta", size=12, overlap=5)
    assert found == ["alpha beta ", "beta gamma ", "amma delta"]


def test_wide_characters_make_shorter_pieces() -> None:
    assert [len(piece) for piece in chunks("数" * 450)] == [200, 200, 130]


def test_an_overlap_as_long_as_a_piece_is_refused() -> None:
    with pytest.raises(ValueError, match="overlap"):
        chunks("text", size=5, overlap=5)


@given(st.text(max_size=300), st.integers(8, 40), st.integers(0, 7))
def test_nothing_is_lost(text: str, size: int, overlap: int) -> None:
    pieces = chunks(text, size, overlap)
    position = 0
    for piece in pieces:
        found = text.rfind(piece, 0, position + len(piece))  # a text may repeat itself: the latest place counts
        assert found >= 0
        position = max(position, found + len(piece))
    assert position == len(text)


def test_sentences_end_at_stops_and_line_breaks() -> None:
    text = "I moved. By the way, I sold the car!\nNew line 我们用它。很好"
    assert sentences(text) == ["I moved.", "By the way, I sold the car!", "New line 我们用它。", "很好"]


def test_a_sentence_without_end_is_cut() -> None:
    assert [len(piece) for piece in sentences("x" * 500)] == [240, 240, 116]


def test_pieces_hold_the_whole_and_each_sentence_once() -> None:
    assert pieces("One. Two.") == ["One. Two.", "One.", "Two."]
    assert pieces("One.") == ["One."]


def test_no_text_has_one_empty_piece() -> None:
    assert pieces("") == [""]
