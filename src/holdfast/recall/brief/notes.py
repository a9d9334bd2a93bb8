"""Short texts that reach a brief from elsewhere: what other sessions just learnt, and summaries of sessions.

Lives here: which of them belong into a brief. They have no index; the few there are, are looked through.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.model.kinds import AGENT, TOOL
from holdfast.recall.brief.amendments import topic_of
from holdfast.recall.brief.keywords import Asked
from holdfast.recall.brief.weights import affinity

SHARED = 2
"""Words of a prompt that a note must hold to be about it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """Something another session found, or how one went."""

    id: str
    kind: str
    text: str
    at: int
    session: str | None = None
    trust: str = AGENT
    files: tuple[str, ...] = ()


def relevant_notes(notes: Sequence[Note], asked: Asked | None, files: Sequence[str]) -> list[Note]:
    """Return what has to do with the prompt or with the files at hand, newest first; without a prompt, all."""
    said = sorted((note for note in notes if note.trust != TOOL), key=lambda note: -note.at)
    if asked is None:
        return said
    stems = {term.stem for term in asked.terms}
    return [
        note
        for note in said
        if len(stems & topic_of(note.text)) >= min(SHARED, len(stems)) or affinity(note.files, files) > 1
    ]
