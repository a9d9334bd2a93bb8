"""Whether a note rests on words that it gives as the user's, and whether a person said them in a turn.

Which turns are looked at is decided in `service.user_words`. Words are compared as words: case, blanks, signs and
the forms of characters apart, and nothing beyond that. What was pasted, quoted or shown in a turn is not what its
person said.

A finding ties the note to the turn that holds its words; what forgets, retires or promotes follows that tie. A
turn may still be on its way when the note is taken, so notes whose turn has arrived are tied when their session is
read.
"""

import hashlib
from collections.abc import Iterator, Sequence

from msgspec import Struct

from holdfast.capture.opposed import opposition
from holdfast.capture.text.clean import as_words
from holdfast.model.finding import NOTED, Evidence, Finding
from holdfast.model.ids import fingerprint, id_from
from holdfast.model.kinds import PERSON_ROLES
from holdfast.model.limits import DAY_MS, FINDING_CHARS
from holdfast.model.memory import CONTRADICTORY, Memory
from holdfast.model.patterns import regex
from holdfast.model.search import Filters
from holdfast.model.session import Session, Turn
from holdfast.ports import Store
from holdfast.text.sentences import sentences
from holdfast.text.words import forms, topic

LEAST_WORDS = 4
LEAST_CONTENT = 2
"""Words of a quote, and how many of them must say what it is about: "yes please do it" proves nothing."""

LEAST_SHARED = 2
SHARED_OF_SHORTER = 0.4
SHARED_OF_NOTE = 0.2
"""Content words that a note must have from its quote; their share of those of the shorter one, and of the note's.

On 505 notes of six projects, each written by somebody who read the talk and knew no rule, 83 % pass with their own
quote and 2 % with another one of the same project (docs/decisions/0085)."""

_WORD = regex(r"\w+")
_DENIALS = frozenset(forms("no not never nothing nobody none nowhere neither without avoid stop dont t"))

QUOTE = "quote"
"""The key of a memory's metadata that holds the user's words."""

MOST_NOTES = 200
"""Notes of one session that are looked at."""

LOOKED_BACK_MS = 7 * DAY_MS
"""Notes are taken while a session runs; of one that is older, nobody waits for a turn any more."""

LEAST_COVER = 0.5
"""Share of a finding's characters that a note rests on, where the note speaks for it."""


class Span(Struct, frozen=True):
    """Where in a turn something was said."""

    start: int
    end: int


def weakness(quote: str, note: str) -> str | None:
    """Say why a quote proves nothing of a note, wherever it stands; None where it would."""
    about = topic(quote)
    if len(as_words(quote).split()) < LEAST_WORDS or len(about) < LEAST_CONTENT:
        return (
            f"is too short to prove anything; give {LEAST_WORDS} words in a row or more that say what it is about"
        )
    note_topic = topic(note)
    shared_count = len(about & note_topic)
    if shared_count < LEAST_SHARED or shared_count < max(
        SHARED_OF_SHORTER * min(len(about), len(note_topic)), SHARED_OF_NOTE * len(note_topic)
    ):
        return "and note say different things; keep to what the user said, with their words"
    return "says the opposite of the note; read it again" if _is_opposed(quote, note) else None


def _is_opposed(quote: str, note: str) -> bool:
    """Say whether one of two texts denies what the other says; where both deny something, each has its own way."""
    if _DENIALS.isdisjoint(forms(quote)) == _DENIALS.isdisjoint(forms(note)):
        return False
    contrast = opposition(note, quote)
    return contrast is not None and contrast.kind == CONTRADICTORY


def span_of(quote: str, turn_text: str) -> Span | None:
    """Return where a person says a quote in a turn; None where they do not, or only show it."""
    quote_words = as_words(quote).split()
    words = list(_words(turn_text))
    first = [place for place, (word, _, _) in enumerate(words) if word == quote_words[0]] if quote_words else []
    for place in first:
        if [word for word, _, _ in words[place : place + len(quote_words)]] == quote_words:
            return Span(words[place][1], words[place + len(quote_words) - 1][2])
    return None


def _words(turn_text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the words that somebody says in a turn, with their places; nothing spans what was only shown."""
    last = 0
    for sentence in sentences(turn_text):
        if _WORD.search(turn_text, last, sentence.start):
            yield "", last, last
        last = sentence.end
        for match in _WORD.finditer(turn_text, sentence.start, sentence.end):
            for word in _one_word(match[0]):
                yield word, match.start(), match.end()


def _one_word(text: str) -> Sequence[str]:
    return as_words(text).split()


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
