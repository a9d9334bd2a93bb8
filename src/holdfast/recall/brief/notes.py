"""Short texts that reach a brief from elsewhere: what other sessions just learnt, summaries of sessions, and what
was said but is in no store yet, because hooks write to a spool and a worker takes it from there.

Lives here: which of them belong into a brief. They have no index; the few there are, are looked through. Of what
waits in the spool only a person's sentences count that the light judge finds lasting: a session that starts right
after another must know what was just said there.
"""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from holdfast.agents import spool
from holdfast.embedding.common_words import RARE_IDF, idf
from holdfast.judge import light_judge
from holdfast.judge.turns import sentences_of
from holdfast.model.ids import digest
from holdfast.model.kinds import AGENT, PERSON_ROLES, SPEAKING_AGENTS, TOOL, TOOL_ROLE, USER
from holdfast.recall.brief.once import repeats_any
from holdfast.recall.brief.prompt import Prompt
from holdfast.recall.brief.weights import affinity
from holdfast.text.words import topic

LEAST_SHARED_WORDS = 2
LEAST_RARITY = 1.8
"""Words of a prompt that a note must hold to be about it, and how rare they must be together."""

MOST_NOTES = 8

OVERHEARD_LASTS = 0.21
"""The light judge's probability from which on a sentence that waits in the spool is passed on."""

MOST_OVERHEARD = 5


class BriefNote(Struct, frozen=True):
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
    notes: Sequence[BriefNote],
    prompt: Prompt | None,
    files: Sequence[str],
    brief_texts: Sequence[str],
) -> list[BriefNote]:
    """Return what has to do with the prompt or with the files at hand, newest first; without a prompt, all.

    What something told elsewhere in the brief, or a newer note, says already is left out.
    """
    candidates = sorted((note for note in notes if note.trust != TOOL), key=lambda note: -note.at)
    if prompt is not None:
        weights = {term.stem: idf(term.word.lower()) / RARE_IDF for term in prompt.terms}
        prompt_text = " ".join(prompt.text.split())
        candidates = [note for note in candidates if note.given or " ".join(note.text.split()) not in prompt_text]
        candidates = [
            note for note in candidates if note.given or _about(note, weights) or affinity(note.files, files) > 1
        ]
    chosen_notes: list[BriefNote] = []
    for note in candidates:
        told = (*brief_texts, *(chosen.text for chosen in chosen_notes))
        if note.given or not repeats_any(note.text, told):
            chosen_notes.append(note)
    return chosen_notes[:MOST_NOTES]


def _about(note: BriefNote, weights: Mapping[str, float]) -> bool:
    shared_stems = topic(note.text) & weights.keys()
    return len(shared_stems) >= LEAST_SHARED_WORDS and sum(weights[stem] for stem in shared_stems) >= LEAST_RARITY


def overheard(root: str, but: str | None) -> list[BriefNote]:
    """Return what was said in other sessions of a project and is not in its store yet, newest first."""
    notes: list[BriefNote] = []
    for entry in spool.waiting_entries(root, without=TOOL_ROLE):
        role, text, at = str(entry.get("role", "")), entry.get("text"), entry.get("at")
        own = but is not None and but == f"{entry.get('client')}:{entry.get('session')}"
        if own or not isinstance(text, str) or not isinstance(at, int) or role.lower() not in PERSON_ROLES:
            continue
        ref = f"{entry.get('client')}:{entry.get('session')}:{entry.get('ref', '')}:{at}"
        notes += [
            BriefNote(id=digest(f"{ref}:{place}")[:32], kind="turn", text=sentence, at=at, trust=USER)
            for place, sentence in enumerate(_lasting(text))
        ]
    return sorted(notes, key=lambda note: -note.at)[:MOST_OVERHEARD]


def _lasting(text: str) -> list[str]:
    reader, pieces = light_judge(), sentences_of(text)
    if reader is None:
        return []
    verdicts = reader.lasts(pieces)
    return [
        piece.text
        for piece, verdict in zip(pieces, verdicts, strict=True)
        if verdict.lasts >= OVERHEARD_LASTS and not piece.text.endswith("?")
    ]


def last_reply(root: str, session_ref: str) -> str:
    """Return what the agent said last in a session, as far as it waits in the spool."""
    for entry in reversed(spool.waiting_entries(root, without=TOOL_ROLE)):
        own = session_ref == f"{entry.get('client')}:{entry.get('session')}"
        if own and str(entry.get("role", "")).lower() in SPEAKING_AGENTS and isinstance(entry.get("text"), str):
            return str(entry["text"])
    return ""
