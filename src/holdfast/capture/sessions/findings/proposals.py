"""A finding to be: what it says, where it was said, and what speaks for it."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from holdfast.capture.compare.amendments import CUES
from holdfast.capture.compare.topic import tokens
from holdfast.capture.sessions.findings.acts import Act
from holdfast.capture.sessions.findings.passages import Passage
from holdfast.capture.sessions.findings.reading import SentenceReading
from holdfast.model.finding import Evidence

_REVISING = tuple(cue for cue in CUES if cue.name in ("amendment", "update", "change of mind", "from now on"))


@dataclass(frozen=True, slots=True)
class FindingDraft:
    """A finding to be: what it says, where, and what speaks for it."""

    kind: str
    passage: Passage
    act: Act
    importance: float
    confidence: float
    signals: frozenset[str] = field(default_factory=frozenset)
    more: tuple[Evidence, ...] = ()
    """Where else it was said: the answer that took a proposal over."""


def revises(readings: Iterable[SentenceReading]) -> bool:
    """Say whether sentences announce that they change what was said before."""
    words = [" ".join(tokens(reading.sentence.text)) for reading in readings]
    return any(cue.pattern.search(text) for cue in _REVISING for text in words)
