"""Neighbouring sentences of one turn as the text of a finding: whole sentences, short enough to keep.

Cutting and joining only; which sentences belong together is decided by the callers.
"""

from collections.abc import Iterator, Sequence

from holdfast.capture.sessions.findings.reading import SentenceReading
from holdfast.model.limits import FINDING_CHARS
from holdfast.model.patterns import regex
from holdfast.model.value import Value

_WHITE = regex(r"\s+")
LIST_MARK = 6
"""Characters of a bullet or a number between two items; more was something that is not a sentence."""

_CLAUSE = regex(r"[;:,]\s|\s[-–—]\s|\s")


class Passage(Value):
    """A text with its place in the turn."""

    text: str
    start: int
    end: int


def runs(readings: Sequence[SentenceReading], wanted_flags: Sequence[bool]) -> Iterator[list[SentenceReading]]:
    """Yield the wanted sentences in runs of neighbours from one paragraph or list."""
    run: list[SentenceReading] = []
    for reading, want in zip(readings, wanted_flags, strict=True):
        if run and not (want and _together(run[-1], reading)):
            yield run
            run = []
        if want:
            run.append(reading)
    if run:
        yield run


def _together(left: SentenceReading, right: SentenceReading) -> bool:
    """Say whether two sentences stand in one paragraph, or as items of one list."""
    same_head = bool(left.sentence.head) and left.sentence.head == right.sentence.head
    return same_head or left.sentence.block == right.sentence.block


def passages(text: str, run: Sequence[SentenceReading]) -> Iterator[Passage]:
    """Yield a run of sentences as passages of at most 500 characters, cut between sentences where it can be."""
    passage: Passage | None = None
    for sentence in (reading.sentence for reading in run):
        for piece in _pieces(text, sentence.start, sentence.end):
            if passage and _joinable(text, passage, piece):
                passage = Passage(_join(passage.text, piece.text), passage.start, piece.end)
                continue
            if passage:
                yield passage
            passage = piece
    if passage:
        yield passage


def _joinable(text: str, passage: Passage, piece: Passage) -> bool:
    """Say whether a piece goes on where the passage ended, and fits."""
    between = text[passage.end : piece.start].strip()
    return len(between) <= LIST_MARK and len(passage.text) + len(piece.text) + 2 <= FINDING_CHARS


def _join(left: str, right: str) -> str:
    return f"{left} {right}" if left[-1] in ".!?:;,…" else f"{left}; {right}"


def _pieces(text: str, start: int, end: int) -> Iterator[Passage]:
    """Yield a sentence; one that is too long is cut between clauses."""
    while end - start > FINDING_CHARS:
        cuts = [match.end() for match in _CLAUSE.finditer(text, start + FINDING_CHARS // 2, start + FINDING_CHARS)]
        strong = [cut for cut in cuts if text[cut - 2 : cut - 1] == ";"] or cuts
        cut = strong[-1] if strong else start + FINDING_CHARS
        yield Passage(_WHITE.sub(" ", text[start:cut]).strip(), start, cut)
        start = cut
    if text[start:end].strip():
        yield Passage(_WHITE.sub(" ", text[start:end]).strip(), start, end)
