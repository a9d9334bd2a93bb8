"""Short texts that reach a brief from elsewhere: what other sessions just learnt, and summaries of sessions.

Lives here: which of them belong into a brief. They have no index; the few there are, are looked through.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from holdfast.embedding.common_words import RARE_IDF, idf
from holdfast.model.kinds import AGENT, TOOL
from holdfast.recall.brief.amendments import Statement, amendment, topic_of
from holdfast.recall.brief.keywords import Asked
from holdfast.recall.brief.weights import affinity

SHARED, HELD = 2, 1.8
"""Words of a prompt that a note must hold to be about it, and how rare they must be together."""

SAME = 0.8
MOST = 8


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


def relevant_notes(
    notes: Sequence[Note], asked: Asked | None, files: Sequence[str], told: Sequence[Statement]
) -> list[Note]:
    """Return what has to do with the prompt or with the files at hand, newest first; without a prompt, all.

    What something told elsewhere in the brief, or a newer note, amends or says already is left out.
    """
    said = sorted((note for note in notes if note.trust != TOOL), key=lambda note: -note.at)
    if asked is not None:
        weights = {term.stem: idf(term.word.lower()) / RARE_IDF for term in asked.terms}
        prompt = " ".join(asked.text.split())
        said = [note for note in said if " ".join(note.text.split()) not in prompt]
        said = [note for note in said if _about(note, weights) or affinity(note.files, files) > 1]
    kept: list[Note] = []
    for note in said:
        if not any(_outdone(note, one) for one in (*told, *map(_statement, kept))):
            kept.append(note)
    return kept[:MOST]


def _about(note: Note, weights: Mapping[str, float]) -> bool:
    shared = topic_of(note.text) & weights.keys()
    return len(shared) >= SHARED and sum(weights[stem] for stem in shared) >= HELD


def _outdone(note: Note, other: Statement) -> bool:
    """Say whether a note adds nothing to another statement, or no longer holds because of it."""
    topic = topic_of(note.text)
    if topic and len(topic & topic_of(other.text)) / len(topic) >= SAME:
        return True
    return amendment(other, _statement(note)) is not None


def _statement(note: Note) -> Statement:
    return Statement(note.text, "", note.session, note.at, 0)
