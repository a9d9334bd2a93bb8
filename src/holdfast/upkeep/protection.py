"""What upkeep never takes, whatever the rule: the one place where that is said."""

from holdfast.model.kinds import DECISION, PINNED, USER
from holdfast.model.limits import DAY_MS
from holdfast.model.memory import Memory
from holdfast.model.value import Value
from holdfast.ports import Store

READ_LATELY_MS = DAY_MS
FOR_EVER = 1 << 62
MOST_SESSIONS = 100_000

IS_PINNED = "pinned"
IS_DECISION = "a decision"
IN_USE = "of a session that is still active"
READ_LATELY = "read in the last 24 hours"
IS_PERSONS = "a person's, and an agent asks"
PROTECTIONS = (IS_PINNED, IS_DECISION, IN_USE, READ_LATELY)


class Protection(Value):
    """Who is protected at a moment, in one store."""

    now: int
    active: frozenset[str]
    """The sessions that are still going on."""
    for_person: bool = True
    """Whether a person asks, or upkeep goes on by itself in a person's program."""

    def reason(self, memory: Memory) -> str | None:
        """Say why a memory stays; None when it may go."""
        if memory.status == PINNED:
            return IS_PINNED
        if memory.trust == USER and not self.for_person:
            return IS_PERSONS
        if memory.kind == DECISION:
            return IS_DECISION
        if memory.session in self.active:
            return IN_USE
        if memory.accessed_at is not None and memory.accessed_at > self.now - READ_LATELY_MS:
            return READ_LATELY
        return None


def protection(sessions: Store, now: int, *, for_person: bool = True) -> Protection:
    """Return who is protected now; `sessions` is the store that records them."""
    active_sessions = sessions.sessions.silent(FOR_EVER, MOST_SESSIONS)
    return Protection(now, frozenset(session.id for session in active_sessions), for_person)
