"""One round of upkeep over one store: who is protected, and what came of it.

A rule is a generator: it works in short transactions and yields after each, so that whoever runs it can stop in
between. In a dry round nothing is written; the rule goes the same way and only notes what it would do. What upkeep
never takes, whatever the rule, is said here and nowhere else.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct, field

from holdfast.model.kinds import DECISION, PINNED, USER
from holdfast.model.limits import DAY_MS
from holdfast.model.memory import Memory
from holdfast.model.records import Event
from holdfast.model.upkeep import Departure, Merged, StoreLimits
from holdfast.ports import Store

READ_LATELY_MS = DAY_MS
"""How long a read protects."""

FOR_EVER = 1 << 62
"""A moment that all sessions were silent before: which of them are active is asked by silence."""

MOST_SESSIONS = 100_000
"""Active sessions that are asked for; nobody has so many."""

IS_PINNED = "pinned"
IS_DECISION = "a decision"
IN_USE = "of a session that is still active"
READ_LATELY = "read in the last 24 hours"
IS_PERSONS = "a person's, and an agent asks"
"""Why something stays."""

PROTECTIONS = (IS_PINNED, IS_DECISION, IN_USE, READ_LATELY)
BATCH = 100
"""Entries removed in one transaction."""

Steps = Iterator[int]
"""How many entries each step looked at."""


class Protection(Struct, frozen=True):
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


class Ledger(Struct):
    """What came of a round so far."""

    gone: list[Departure] = field(default_factory=list)
    merged: list[Merged] = field(default_factory=list)
    kept: Counter[str] = field(default_factory=Counter)
    turns: int = 0
    accesses: int = 0
    freed: int = 0
    """In a dry round: about how many bytes would be free."""

    @property
    def ids(self) -> set[str]:
        """The memories that went, or would."""
        return {departure.id for departure in self.gone}

    @property
    def removed(self) -> bool:
        """Whether anything went."""
        return bool(self.gone or self.turns or self.accesses)


class Round(Struct, frozen=True, kw_only=True):
    """One round over one store."""

    store: Store
    now: int
    """What the clock says: the time that journals get."""
    believed: int
    """The time that deletions go by."""
    protection: Protection
    limits: StoreLimits = field(default_factory=StoreLimits)
    actor: str = "upkeep"
    dry: bool = False
    patience_ms: int | None = None
    ledger: Ledger = field(default_factory=Ledger)

    def unprotected(self, memories: Sequence[Memory]) -> list[Memory]:
        """Return those that may go; what protects the others is counted."""
        free = []
        would = self.ledger.ids if self.dry else set()
        for memory in memories:
            if memory.id in would:
                continue
            reason = self.protection.reason(memory)
            if reason:
                self.ledger.kept[reason] += 1
            else:
                free.append(memory)
        return free

    def evict(self, departures: Sequence[tuple[Memory, Departure]]) -> int:
        """Remove memories, a batch at most, unless they changed since they were chosen; return how many went."""
        if self.dry or not departures:
            self.ledger.gone.extend(departure for _, departure in departures)
            return len(departures)
        store = self.store
        with store.writing(self.patience_ms):
            current = {
                current_memory.id: current_memory
                for current_memory in store.memories.get([memory.id for memory, _ in departures])
            }
            actual_departures = [departure for memory, departure in departures if current.get(memory.id) == memory]
            ids = tuple(departure.id for departure in actual_departures)
            if ids:
                detail = {"rule": actual_departures[0].rule}
                store.audit.record(Event(action="evict", actor=self.actor, at=self.now, ids=ids, detail=detail))
                store.memories.evict(ids)
        self.ledger.gone.extend(actual_departures)
        return len(actual_departures)


def departure(memory: Memory, rule: str, why: str) -> Departure:
    """Say that a memory goes."""
    return Departure(id=memory.id, kind=memory.kind, title=memory.title, rule=rule, why=why)


def days_between(earlier: int, later: int) -> int:
    """Return whole days."""
    return max(0, later - earlier) // DAY_MS
