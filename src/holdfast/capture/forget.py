"""Forgetting: the entry goes, its words go from the evidence, and a mark keeps it from coming back by itself."""

from collections.abc import Sequence
from dataclasses import replace

from holdfast.model.memory import Forgotten, Memory
from holdfast.model.records import Event
from holdfast.ports import Store

MASK = "[forgotten]"
MASKED_FROM = 20
"""Shorter contents are not hunted for in turns: masking every "yes" would destroy more than it hides."""


def forget(home: Store, evidence: Store, memories: Sequence[Memory], actor: str, now: int) -> Forgotten:
    """Retract memories from their home store, and their words from the turns of the evidence store.

    Of two stores the evidence comes first: a crash in between leaves the memory, which can be forgotten again.
    The bytes leave the files with the scrub at the end, or, when another process is reading, by a later one.
    """
    ids = tuple(memory.id for memory in memories)
    masked = 0
    if evidence is not home:
        with evidence.writing():
            masked = _clear(evidence, memories)
    with home.writing():
        home.audit.record(Event(action="remove", actor=actor, at=now, ids=ids))
        if evidence is home:
            masked = _clear(evidence, memories)
        home.memories.delete(ids)
        home.tombstones.add(_unsaid(home, memories))
    pending = [store.scrub() for store in ([home] if evidence is home else [evidence, home])]
    return Forgotten(ids=ids, masked_turns=masked, pending=any(pending))


def _clear(evidence: Store, memories: Sequence[Memory]) -> int:
    """Take the words of memories out of turns and logged queries; return how many turns held them."""
    evidence.accesses.forget([memory.id for memory in memories])
    return sum(_mask(evidence, memory) for memory in memories)


def _unsaid(home: Store, memories: Sequence[Memory]) -> list[str]:
    """Return the fingerprints that no other entry still says: going back to an old decision is no return."""
    prints = [memory.fingerprint for memory in memories]
    still = home.memories.saying(memories[0].project, prints)
    return [one for one in prints if one not in still]


def _mask(evidence: Store, memory: Memory) -> int:
    if len(memory.content) < MASKED_FROM:
        return 0
    turns = evidence.turns.containing(memory.content)
    for turn in turns:
        evidence.turns.replace(replace(turn, text=turn.text.replace(memory.content, MASK)))
    return len(turns)
