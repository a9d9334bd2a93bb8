"""What a memory weighs by now: a function of what is stored, never written back."""

from holdfast.model.kinds import CANDIDATE, PINNED
from holdfast.model.limits import DAY_MS
from holdfast.model.memory import Memory

A_WEEK = 0.95
"""What is left after a week without a read."""

UNCONFIRMED_FACTOR = 0.9
UNREAD_FACTOR = 0.5
A_READ = 0.05


def decayed_importance(memory: Memory, now: int) -> float:
    """Return a memory's importance as time, doubt and neglect leave it; what is pinned keeps all of it.

    Time counts from the last read, or from when it was captured or confirmed; a clock that went back takes none.
    """
    if memory.status == PINNED:
        return memory.importance
    since = max(memory.accessed_at or 0, memory.renewed_at)
    weeks = max(0, now - since) / (7 * DAY_MS)
    doubt = UNCONFIRMED_FACTOR if memory.status == CANDIDATE else 1.0
    return float(memory.importance * A_WEEK**weeks * doubt * min(1.0, UNREAD_FACTOR + A_READ * memory.reads))
