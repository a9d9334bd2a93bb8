"""From a note that rests on the user's words to the turn that holds them: a finding ties them together.

What forgets, retires or promotes follows that tie. A turn may still be on its way when the note is taken, so notes
whose turn has arrived are tied when their session is read.
"""

import hashlib
from collections.abc import Sequence

from holdfast.capture.quote_check import Span, span_of
from holdfast.capture.text.fingerprint import fingerprint
from holdfast.model.finding import NOTED, Evidence, Finding
from holdfast.model.ids import id_from
from holdfast.model.kinds import PERSON_ROLES
from holdfast.model.limits import DAY_MS, FINDING_CHARS
from holdfast.model.memory import Memory
from holdfast.model.search import Filters
from holdfast.model.session import Session, Turn
from holdfast.ports import Store

QUOTE = "quote"
"""The key of a memory's metadata that holds the user's words."""

MOST_NOTES = 200
"""Notes of one session that are looked at."""

LOOKED_BACK_MS = 7 * DAY_MS
"""Notes are taken while a session runs; of one that is older, nobody waits for a turn any more."""

LEAST_COVER = 0.5
"""Share of a finding's characters that a note rests on, where the note speaks for it."""


def quote_of(memory: Memory) -> str | None:
    """Return the user's words that a memory rests on."""
    quote = memory.metadata.get(QUOTE)
    return quote if isinstance(quote, str) and quote else None


def tie(store: Store, memory: Memory, turn: Turn, span: Span) -> None:
    """Keep that a memory rests on these characters of a turn; call it inside a transaction."""
    words = turn.text[span.start : span.end]
    key = f"{NOTED} {memory.id} {turn.id} {span.start} {span.end}"
    finding = Finding(
        id=id_from(turn.at, hashlib.sha256(key.encode()).digest()),
        session=turn.session,
        kind=memory.kind,
        content=" ".join(words.split())[:FINDING_CHARS],
        fingerprint=fingerprint(words),
        evidence=(Evidence(turn=turn.id, start=span.start, end=span.end),),
        importance=memory.importance,
        confidence=1.0,
        signals=(NOTED,),
        created_at=turn.at,
        memory=memory.id,
    )
    store.findings.put([finding])


def tie_waiting(store: Store, session: Session, now: int) -> None:
    """Tie the notes of a session whose turns have arrived since; call it inside a transaction."""
    since = max(session.started_at, now - LOOKED_BACK_MS)
    untied_notes = [
        memory
        for memory in store.memories.newest(Filters(session=session.id, since=since), MOST_NOTES)
        if quote_of(memory) and not store.findings.behind([memory.id])
    ]
    turns = store.turns.of(session.id) if untied_notes else []
    person_turns = [turn for turn in reversed(turns) if turn.role.lower() in PERSON_ROLES and turn.tool is None]
    for memory in untied_notes:
        for turn in person_turns:
            if span := span_of(quote_of(memory) or "", turn.text):
                tie(store, memory, turn, span)
                break


def spoken_for(store: Store, findings: Sequence[Finding]) -> dict[str, str]:
    """Return, by finding, the memory that a note made of the same words: it says it better."""
    notes = [
        note for note in store.findings.from_turns([finding.turn for finding in findings]) if NOTED in note.signals
    ]
    return {
        finding.id: note.memory
        for finding in findings
        for note in notes
        if note.memory and NOTED not in finding.signals and covers(note.evidence[0], finding.evidence[0])
    }


def covers(note: Evidence, evidence: Evidence) -> bool:
    """Say whether a note rests on most of what a finding says."""
    shared_chars = min(note.end, evidence.end) - max(note.start, evidence.start)
    return note.turn == evidence.turn and shared_chars >= LEAST_COVER * (evidence.end - evidence.start)
