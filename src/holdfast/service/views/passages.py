"""Words of a turn with what was read from them marked: as pieces, so that nobody has to count characters."""

from collections.abc import Sequence

from holdfast.model.value import Value

MOST = 4_000
"""Characters of a turn that are shown around its marked words."""

LEAD = 600
"""Characters before the first marked word."""


class Mark(Value, kw_only=True):
    """Characters of a text, and what was read from them."""

    start: int
    end: int
    finding: str
    memory: str | None = None


class TextPiece(Value, kw_only=True):
    """A part of a text, marked or not."""

    text: str
    marked: bool
    finding: str | None = None
    memory: str | None = None


class MarkedPassage(Value, kw_only=True):
    """A part of a text around its marks."""

    text: str
    marks: tuple[tuple[int, int], ...]
    before: bool
    """Whether there is more of it before."""
    after: bool
    pieces: tuple[TextPiece, ...]


def passage_of(text: str, marks: Sequence[Mark], most: int = MOST, lead: int = LEAD) -> MarkedPassage:
    """Return what a page shows of a text: all of it, or the part that begins a little before the first mark."""
    first = min((mark.start for mark in marks), default=0)
    start = 0 if len(text) <= most else max(0, min(first - lead, len(text) - most))
    shown = text[start : start + most]
    inside = [_moved(mark, start, len(shown)) for mark in marks]
    spans = [mark for mark in inside if mark.start < mark.end]
    return MarkedPassage(
        text=shown,
        marks=tuple((mark.start, mark.end) for mark in spans),
        before=start > 0,
        after=start + most < len(text),
        pieces=pieces_of(shown, spans),
    )


def pieces_of(text: str, marks: Sequence[Mark]) -> tuple[TextPiece, ...]:
    """Cut a text at its marks; where two overlap, the first has the words."""
    pieces: list[TextPiece] = []
    place = 0
    for mark in sorted(marks, key=lambda candidate: (candidate.start, candidate.end)):
        start, end = max(mark.start, place), min(mark.end, len(text))
        if start >= end:
            continue
        if place < start:
            pieces.append(TextPiece(text=text[place:start], marked=False))
        pieces.append(TextPiece(text=text[start:end], marked=True, finding=mark.finding, memory=mark.memory))
        place = end
    if place < len(text) or not pieces:
        pieces.append(TextPiece(text=text[place:], marked=False))
    return tuple(pieces)


def _moved(mark: Mark, start: int, length: int) -> Mark:
    return Mark(
        start=max(0, mark.start - start),
        end=min(length, mark.end - start),
        finding=mark.finding,
        memory=mark.memory,
    )
