"""Short texts that reach a brief from elsewhere: what other sessions just learnt, and summaries of sessions.

Lives here: which of them belong into a brief. They have no index; the few there are, are looked through.
"""

from collections.abc import Mapping, Sequence

from holdfast.embedding.common_words import RARE_IDF, idf
from holdfast.model.kinds import AGENT, TOOL, USER
from holdfast.model.value import Value
from holdfast.recall.brief.amendments import Statement, amendment, says_all, topic_of
from holdfast.recall.brief.prompt import Prompt
from holdfast.recall.brief.weights import affinity

SHARED, HELD = 2, 1.8
"""Words of a prompt that a note must hold to be about it, and how rare they must be together."""

MOST = 8


class Note(Value):
    """Something another session found, or how one went."""

    id: str
    kind: str
    text: str
    at: int
    session: str | None = None
    trust: str = AGENT
    files: tuple[str, ...] = ()
    given: bool = False
    """Whether the caller handed it in to be told."""


def relevant_notes(
    notes: Sequence[Note], prompt: Prompt | None, files: Sequence[str], told: Sequence[Statement]
) -> list[Note]:
    """Return what has to do with the prompt or with the files at hand, newest first; without a prompt, all.

    What something told elsewhere in the brief, or a newer note, amends or says already is left out; a person's
    word is not, because of what an agent said.
    """
    said = sorted((note for note in notes if note.trust != TOOL), key=lambda note: -note.at)
    if prompt is not None:
        weights = {term.stem: idf(term.word.lower()) / RARE_IDF for term in prompt.terms}
        wanted = " ".join(prompt.text.split())
        said = [note for note in said if note.given or " ".join(note.text.split()) not in wanted]
        said = [note for note in said if note.given or _about(note, weights) or affinity(note.files, files) > 1]
    kept: list[Note] = []
    for note in said:
        others = (*told, *map(_statement, kept))
        if note.given or not any(_outdone(note, one) for one in others if one.by_person or note.trust != USER):
            kept.append(note)
    return kept[:MOST]


def _about(note: Note, weights: Mapping[str, float]) -> bool:
    shared = topic_of(note.text) & weights.keys()
    return len(shared) >= SHARED and sum(weights[stem] for stem in shared) >= HELD


def _outdone(note: Note, other: Statement) -> bool:
    """Say whether a note adds nothing to another statement, or no longer holds because of it."""
    return says_all(other.text, note.text) or amendment(other, _statement(note)) is not None


def _statement(note: Note) -> Statement:
    return Statement(note.text, "", note.session, note.at, 0, note.trust == USER)
