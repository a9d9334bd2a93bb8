"""What becomes of a promoted memory after its first day: confirmed when a person read it, else less
important, once.

Nothing that a person, an import or an agent's own `add` put there is touched.
"""

from holdfast.model.kinds import CANDIDATE, CONFIRMED, PROMOTED, QUARANTINE, READ_BY_PERSON
from holdfast.model.limits import BATCH, QUARANTINE_MS
from holdfast.model.memory import Memory
from holdfast.model.records import Event
from holdfast.model.value import replace
from holdfast.ports import Store
from holdfast.stores.retry import again

UNREAD_FACTOR = 0.8
"""What is left of the importance of something that no person read in its first day."""


@again
def release(store: Store, actor: str, now: int) -> int:
    """Judge promoted memories whose first day is over, a batch at most; return how many there were."""
    if not store.memories.quarantined(now - QUARANTINE_MS, 1):
        return 0
    with store.writing():
        quarantined_memories = store.memories.quarantined(now - QUARANTINE_MS, BATCH)
        judged_memories = [after_quarantine(memory, now) for memory in quarantined_memories]
        read_ids = [memory.id for memory in judged_memories if memory.status == CONFIRMED]
        unread_ids = [memory.id for memory in judged_memories if memory.status != CONFIRMED]
        for action, ids in (("confirm", read_ids), ("update", unread_ids)):
            if ids:
                detail = {"quarantine": len(ids)}
                store.audit.record(Event(action=action, actor=actor, at=now, ids=tuple(ids), detail=detail))
        for memory in judged_memories:
            store.memories.replace(memory)
    return len(judged_memories)


def after_quarantine(memory: Memory, now: int) -> Memory:
    """Return a memory as its quarantine leaves it; the same one while that lasts, and ever after."""
    waits = now - memory.renewed_at < QUARANTINE_MS
    if memory.status != CANDIDATE or memory.source != PROMOTED or QUARANTINE in memory.metadata or waits:
        return memory
    if READ_BY_PERSON in memory.metadata:
        return replace(memory, status=CONFIRMED, updated_at=now)
    metadata = {**memory.metadata, QUARANTINE: "unread"}
    return replace(
        memory, importance=round(memory.importance * UNREAD_FACTOR, 4), metadata=metadata, updated_at=now
    )
