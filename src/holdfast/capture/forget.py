"""Forgetting: the entry goes, its words go from the evidence, and a mark keeps it from coming back by itself."""

from collections.abc import Sequence
from dataclasses import replace

from holdfast.model.memory import Forgotten, Memory
from holdfast.model.records import Event
from holdfast.ports import Store

MASK = "[forgotten]"
MASKED_FROM = 20
"""Shorter contents are not hunted for in turns: masking every "yes" would destroy more than it hides."""


def forget(
    home: Store, evidence: Store, memories: Sequence[Memory], *, project: str, actor: str, now: int
) -> Forgotten:
    """Retract memories from their home store, and their words from the project's turns in the evidence store.

    The bytes leave the files with the scrub at the end, or, when another process is reading, by a later one.
    """
    ids = tuple(memory.id for memory in memories)
    with evidence.writing(), home.writing():
        home.audit.record(Event(action="remove", actor=actor, at=now, ids=ids))
        masked = sum(_mask(evidence, project, memory) for memory in memories)
        evidence.accesses.forget(ids)
        home.memories.delete(ids)
        home.tombstones.add(_unsaid(home, memories))
    pending = home.scrub()
    if evidence is not home:
        pending = evidence.scrub() or pending
    return Forgotten(ids=ids, masked_turns=masked, pending=pending)


def _unsaid(home: Store, memories: Sequence[Memory]) -> list[str]:
    """Return the fingerprints that no other entry still says: going back to an old decision is no return."""
    prints = [memory.fingerprint for memory in memories]
    still = home.memories.saying(memories[0].project, prints)
    return [one for one in prints if one not in still]


def _mask(evidence: Store, project: str, memory: Memory) -> int:
    if len(memory.content) < MASKED_FROM:
        return 0
    turns = evidence.turns.containing(project, memory.content)
    for turn in turns:
        evidence.turns.replace(replace(turn, text=turn.text.replace(memory.content, MASK)))
    return len(turns)
