"""A rule that is taken back after it was promoted: the memory that nothing else speaks for becomes history.

Only what came by itself and nobody has confirmed since; what a person said or confirmed is theirs to take back.
"""

from collections.abc import Sequence
from dataclasses import replace

from holdfast.model.finding import RETRACTED, Finding
from holdfast.model.kinds import CANDIDATE, PROMOTED
from holdfast.model.memory import Memory
from holdfast.model.records import Event
from holdfast.ports import Store


def demote(store: Store, changed: Sequence[Finding], actor: str, now: int) -> None:
    """Retire the memories of findings that were taken back; call it inside a transaction, after keeping those."""
    ids = {one.memory for one in changed if one.memory and RETRACTED in one.signals}
    standing = {one.memory for one in store.findings.behind(sorted(ids)) if RETRACTED not in one.signals}
    gone = [memory for memory in store.memories.get(sorted(ids - standing)) if _came_by_itself(memory)]
    if gone:
        ids_gone = tuple(memory.id for memory in gone)
        store.audit.record(
            Event(action="update", actor=actor, at=now, ids=ids_gone, detail={"retracted": len(gone)})
        )
    for memory in gone:
        store.memories.replace(replace(memory, valid_until=max(memory.valid_from, now), updated_at=now))


def _came_by_itself(memory: Memory) -> bool:
    return memory.status == CANDIDATE and set(memory.sources) == {PROMOTED} and not memory.superseded
