"""Marked words of a text: as pieces that say nothing more and nothing less than the text."""

from hypothesis import given
from hypothesis import strategies as st

from holdfast.service.views.lines import Mark, passage_of, pieces_of

MARKS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=6)


def marks_at(*spans: tuple[int, int]) -> list[Mark]:
    """Make marks of places."""
    return [Mark(start=start, end=end, finding=f"f{place}") for place, (start, end) in enumerate(spans)]


@given(st.text(max_size=50), MARKS)
def test_pieces_one_after_another_are_the_text(text: str, spans: list[tuple[int, int]]) -> None:
    pieces = pieces_of(text, marks_at(*spans))
    assert "".join(piece.text for piece in pieces) == text
    assert all(piece.text for piece in pieces) or text == ""


@given(st.text(min_size=1, max_size=200), st.integers(0, 199), st.integers(1, 40))
def test_a_cut_passage_holds_its_first_mark_and_says_where_it_was_cut(text: str, start: int, most: int) -> None:
    start = min(start, len(text) - 1)
    passage = passage_of(text, marks_at((start, start + 1)), most, most // 4)
    assert len(passage.text) == min(len(text), most)
    assert [piece.text for piece in passage.pieces if piece.marked] == [text[start]]
    assert passage.text in text
    assert (passage.before or passage.after) == (len(passage.text) < len(text))


def test_where_two_marks_overlap_the_first_has_the_words() -> None:
    pieces = pieces_of("one two three", marks_at((0, 7), (4, 13)))
    assert [(piece.text, piece.finding) for piece in pieces] == [("one two", "f0"), (" three", "f1")]
