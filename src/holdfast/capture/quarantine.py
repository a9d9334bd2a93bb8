"""What becomes of a promoted memory after its first day: confirmed when somebody read it, else less important, once.

Pure judgement; `upkeep` applies it. Nothing that a person, an import or an agent's own `add` put there is touched.
"""

from dataclasses import replace

from holdfast.model.kinds import CANDIDATE, CONFIRMED
from holdfast.model.limits import QUARANTINE_MS
from holdfast.model.memory import Memory

PROMOTED = "session"
"""The source of a memory that was promoted by itself."""

UNREAD = "quarantine"
"""The key of the metadata that says it was found unread; it keeps the loss from being taken twice."""

KEPT = 0.8


def after_quarantine(memory: Memory, now: int) -> Memory:
    """Return a memory as its quarantine leaves it; the same one while that lasts, and ever after."""
    waits = now - memory.renewed_at < QUARANTINE_MS
    if memory.status != CANDIDATE or memory.source != PROMOTED or UNREAD in memory.metadata or waits:
        return memory
    if memory.reads:
        return replace(memory, status=CONFIRMED, updated_at=now)
    metadata = {**memory.metadata, UNREAD: "unread"}
    return replace(memory, importance=round(memory.importance * KEPT, 4), metadata=metadata, updated_at=now)
