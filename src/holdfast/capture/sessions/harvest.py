"""The findings of a session: read from turns that nobody read yet, withdrawn with what they said, copied to a
child.

Where reading stopped is stored in the transaction that keeps the findings: a process that dies in between has read
nothing, and the next one goes on from there with the same result.

A rule that is taken back after it was promoted makes history of the memory that nothing else speaks for
(`demote`). That holds only for memories that came by themselves or by an agent's note: from a person's own words,
which the person takes back, or from others' words that nobody has confirmed since. A person forgets their own.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from holdfast.capture.quote_check import quote_of
from holdfast.capture.sessions.learn import CONTEXT_TURNS, KNOWN_FINDINGS, learn
from holdfast.judge import Judge
from holdfast.model.finding import AT_ONCE, LEGS, RETRACTED, Finding
from holdfast.model.ids import id_from, new_id
from holdfast.model.kinds import ACTIVE, CANDIDATE, PINNED, PROMOTED
from holdfast.model.memory import Memory
from holdfast.model.records import Event
from holdfast.model.session import Session, Turn
from holdfast.ports import Store
from holdfast.stores.retry import again

SLICE = 100
"""Turns read in one transaction: it stays short, and memory bounded, however long a session is."""

PAGE = 500


def harvest(store: Store, session_id: str, actor: str, now: int, judge: Judge) -> list[str]:
    """Read every unread turn of a session; what is taken back in it is no memory any more.

    Returns the findings that were asked for in so many words, and are to be remembered at once.
    """
    asked_ids: list[str] = []
    while (slice_asked := _harvest_some(store, session_id, actor, now, judge)) is not None:
        asked_ids += slice_asked
    return asked_ids


def skip(store: Store, session: Session, turn: Turn) -> Session:
    """Return a session that passed over its new turn, and over all that may still wait before it.

    The store notes these turns, so that no later reading takes them up; call it in the transaction of the turn.
    """
    spans = _skipped_spans(store, session.id)
    [first_waiting] = store.turns.following(session.id, session.read_to, 1)
    first = spans.pop()[0] if spans and spans[-1][1] == session.read_to else first_waiting.id
    store.upkeep.note(skipped_fact(session.id), json.dumps([*spans, (first, turn.id)]))
    return replace(session, read_to=turn.id, turns_read=session.turns + 1)


def skipped_turns(store: Store, session_id: str, turns: Sequence[Turn]) -> set[str]:
    """Return which of a session's turns were passed over for good, because reading was switched off."""
    ids = [turn.id for turn in turns]
    spans = [span for span in _skipped_spans(store, session_id) if set(span) <= set(ids)]
    return {turn_id for first, last in spans for turn_id in ids[ids.index(first) : ids.index(last) + 1]}


def skipped_fact(session_id: str) -> str:
    """Return the name under which a store remembers the turns of a session that are never read."""
    return f"passed_over {session_id}"


def _skipped_spans(store: Store, session_id: str) -> list[list[str]]:
    """Return the first and the last turn of each stretch that was passed over."""
    note = store.upkeep.fact(skipped_fact(session_id))
    spans: list[list[str]] = json.loads(note) if isinstance(note, str) else []
    return spans


@again
def _harvest_some(store: Store, session_id: str, actor: str, now: int, judge: Judge) -> list[str] | None:
    """Read the next slice; return what was asked for in it, None where there was none.

    The reading itself is done outside the transaction.
    """
    session = store.sessions.get(session_id)
    turns = store.turns.following(session_id, session.read_to, SLICE) if session else []
    if not session or not turns:
        return None
    context, known_findings = _context(store, session), store.findings.latest(session_id, KNOWN_FINDINGS)
    step = learn(turns, context, known_findings, judge)
    with store.writing():
        latest = store.sessions.get(session_id)
        if (
            latest is None
            or latest.read_to != session.read_to
            or _has_changed(store, [*context, *turns], known_findings)
        ):
            return []  # somebody else has read on, or had something forgotten, meanwhile
        new = _new(store, step.new)
        store.findings.put([*step.changed, *new])
        demote(store, step.changed, actor, now)
        store.sessions.replace(replace(latest, read_to=turns[-1].id, turns_read=latest.turns_read + len(turns)))
    return [finding.id for finding in new if AT_ONCE in finding.signals]


def _has_changed(store: Store, turns: Sequence[Turn], known_findings: Sequence[Finding]) -> bool:
    """Say whether the turns and findings that were read are no longer what is stored."""
    return store.turns.get([turn.id for turn in turns]) != list(turns) or store.findings.get(
        [finding.id for finding in known_findings]
    ) != list(known_findings)


def _context(store: Store, session: Session) -> list[Turn]:
    """Return the turns just before the unread ones; a fork goes on where its parent was, and that one's."""
    context_turns = store.turns.leading(session.id, session.read_to, CONTEXT_TURNS) if session.read_to else []
    place: Session | None = session
    while place and place.parent and place.forked_at and len(context_turns) < CONTEXT_TURNS:
        context_turns = [
            *store.turns.leading(place.parent, place.forked_at, CONTEXT_TURNS - len(context_turns)),
            *context_turns,
        ]
        place = store.sessions.get(place.parent)
    return context_turns


def _new(store: Store, findings: Sequence[Finding]) -> list[Finding]:
    """Leave out what a person had removed, and what was found before, too long ago to be among the known."""
    forgotten_fingerprints = store.tombstones.standing([finding.fingerprint for finding in findings])
    known_ids = {finding.id for finding in store.findings.get([finding.id for finding in findings])}
    return [
        finding
        for finding in findings
        if finding.fingerprint not in forgotten_fingerprints and finding.id not in known_ids
    ]


def demote(store: Store, changed_findings: Sequence[Finding], actor: str, now: int) -> None:
    """Retire the memories of findings that were taken back; call it inside a transaction, after keeping those."""
    ids = {finding.memory for finding in changed_findings if finding.memory and RETRACTED in finding.signals}
    standing_ids = {
        finding.memory for finding in store.findings.behind(sorted(ids)) if RETRACTED not in finding.signals
    }
    retired_memories = [
        memory for memory in store.memories.get(sorted(ids - standing_ids)) if came_by_itself(memory)
    ]
    if retired_memories:
        ids_gone = tuple(memory.id for memory in retired_memories)
        store.audit.record(
            Event(action="update", actor=actor, at=now, ids=ids_gone, detail={"retracted": len(retired_memories)})
        )
    for memory in retired_memories:
        store.memories.replace(replace(memory, valid_until=max(memory.valid_from, now), updated_at=now))


def came_by_itself(memory: Memory) -> bool:
    """Return whether a memory was made of talk and nobody has confirmed it since."""
    if memory.superseded or memory.status == PINNED:
        return False
    if quote_of(memory):
        return True
    if set(memory.sources) != {PROMOTED}:
        return False
    return memory.status == CANDIDATE or bool(LEGS & set(_signals(memory)))


def _signals(memory: Memory) -> list[str]:
    signals = memory.metadata.get("signals")
    return signals if isinstance(signals, list) else []


def fork(store: Store, parent: Session, now: int) -> Session:
    """Begin a session that goes on from another; the two change independently from here.

    The turns before the fork stay the parent's: they are evidence, and one message is one turn.
    """
    child = replace(
        parent,
        id=new_id(now),
        parent=parent.id,
        status=ACTIVE,
        ref=None,
        summary="",
        started_at=now,
        ended_at=None,
        last_turn_at=None,
        tool_calls=0,
        turns=0,
        heard_at=now,
        turns_read=0,
        read_to=None,
        forked_at=parent.read_to,
    )
    store.sessions.insert(child)
    for page in _pages(store, parent.id):
        store.findings.put([_copy(finding, child) for finding in page])
    return child


def _pages(store: Store, session_id: str) -> Iterator[list[Finding]]:
    last: str | None = None
    while page := store.findings.of(session_id, last, PAGE):
        last = page[-1].id
        yield page


def _copy(finding: Finding, child: Session) -> Finding:
    key = hashlib.sha256(f"{child.id} {finding.id}".encode()).digest()
    return replace(finding, id=id_from(finding.created_at, key), session=child.id)
