"""Forgetting: the entry goes, its words go from the evidence, and a mark keeps it from coming back by itself."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from holdfast.model.limits import FORGOTTEN_AT_ONCE
from holdfast.model.memory import Forgotten, Memory
from holdfast.model.records import Event
from holdfast.ports import Store

MASK = "[forgotten]"
MASKED_FROM = 20
"""Shorter contents are not hunted for in turns: masking every "yes" would destroy more than it hides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retraction:
    """Who retracts, when, and where the evidence lies: the project's turns."""

    evidence: Store
    project: str
    actor: str
    now: int

    def event(self, action: str, ids: Sequence[str], **detail: object) -> Event:
        """Return what the journal says of it."""
        return Event(action=action, actor=self.actor, at=self.now, ids=tuple(ids), detail=detail)


def forget(home: Store, memories: Sequence[Memory], by: Retraction) -> Forgotten:
    """Retract memories from their home store, and their words from the evidence.

    The bytes leave the files with the scrub at the end, or, when another process is reading, by a later one.
    """
    masked = 0
    for start in range(0, len(memories), FORGOTTEN_AT_ONCE):
        masked += _forget_some(home, memories[start : start + FORGOTTEN_AT_ONCE], by)
    stores = ([home] if home is by.evidence else [home, by.evidence]) if memories else []
    pending = [store.scrub() for store in stores]
    return Forgotten(ids=tuple(memory.id for memory in memories), masked_turns=masked, pending=any(pending))


def forget_source(home: Store, memories: Sequence[Memory], source: str, by: Retraction) -> Forgotten:
    """Take back what a source said: what nobody else said goes, the rest only loses that source."""
    alone = [memory for memory in memories if set(memory.sources) == {source}]
    shared = [memory for memory in memories if set(memory.sources) > {source}]
    with home.writing():
        if shared:
            home.audit.record(by.event("update", [memory.id for memory in shared], sources=1))
        for memory in shared:
            home.memories.replace(_without_source(memory, source, by.now))
    return replace(forget(home, alone, by), kept=tuple(memory.id for memory in shared))


def forget_turns(session_id: str, by: Retraction) -> Forgotten:
    """Mask everything that was said in a session; its turns stay, so that they are not recorded anew."""
    store = by.evidence
    turns = [turn for turn in store.turns.of(session_id) if turn.text != MASK]
    with store.writing():
        session = store.sessions.get(session_id)
        store.audit.record(by.event("remove", [session_id], turns=len(turns)))
        for turn in turns:
            store.turns.replace(replace(turn, text=MASK, files=()))
        if session and session.summary:
            store.sessions.replace(replace(session, summary=""))
    return Forgotten(ids=(), masked_turns=len(turns), pending=store.scrub())


def _forget_some(home: Store, memories: Sequence[Memory], by: Retraction) -> int:
    ids = tuple(memory.id for memory in memories)
    with by.evidence.writing(), home.writing():
        home.audit.record(by.event("remove", ids))
        masked = sum(_mask(by, memory) for memory in memories)
        by.evidence.accesses.forget(ids)
        home.tombstones.add([memory.fingerprint for memory in memories])
        home.memories.delete(ids)
    return masked


def _mask(by: Retraction, memory: Memory) -> int:
    if len(memory.content) < MASKED_FROM:
        return 0
    turns = by.evidence.turns.containing(by.project, memory.content)
    for turn in turns:
        by.evidence.turns.replace(replace(turn, text=turn.text.replace(memory.content, MASK)))
    return len(turns)


def _without_source(memory: Memory, source: str, now: int) -> Memory:
    return replace(memory, sources=tuple(one for one in memory.sources if one != source), updated_at=now)
