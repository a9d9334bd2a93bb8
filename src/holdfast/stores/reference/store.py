"""The reference store, put together. A transaction works on the live rows and puts copies back on failure."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from holdfast.errors import StoreSlow
from holdfast.model.fading import Fading
from holdfast.model.records import Counts, StoreState
from holdfast.model.type_hints import TYPE_CHECKING, cast
from holdfast.stores.reference.briefs import ReferenceAliases, ReferenceReceipts
from holdfast.stores.reference.conflicts import ReferenceConflicts
from holdfast.stores.reference.findings import ReferenceFindings
from holdfast.stores.reference.index import Index
from holdfast.stores.reference.memories import ReferenceMemories
from holdfast.stores.reference.proposals import ReferenceProposals
from holdfast.stores.reference.records import ReferenceAccesses, ReferenceAudit, ReferenceTombstones
from holdfast.stores.reference.sessions import ReferenceSessions
from holdfast.stores.reference.spooled import ReferenceSpooled
from holdfast.stores.reference.turns import ReferenceTurns
from holdfast.stores.reference.upkeep import ReferenceUpkeep
from holdfast.stores.reference.vectors import ReferenceVectors, copied
from holdfast.stores.weights import MEMORY_WEIGHTS, POSTINGS_BUDGET, TURN_WEIGHTS

if TYPE_CHECKING:
    from typing import TypeVar

    Facet = TypeVar("Facet")


class ReferenceStore:
    """`ports.Store` in this process's memory."""

    left_out: Sequence[str] = ()

    def __init__(
        self, project: str = "reference", postings_budget: int = POSTINGS_BUDGET, fading: Fading | None = None
    ) -> None:
        self._project = project
        self._lock = threading.RLock()
        self._until = _Until()
        self._accesses = ReferenceAccesses()
        self._memories = ReferenceMemories(Index(MEMORY_WEIGHTS, postings_budget), fading)
        self._sessions = ReferenceSessions()
        self._findings = ReferenceFindings()
        index = Index(TURN_WEIGHTS, postings_budget)
        self._turns = ReferenceTurns(self._sessions, self._memories, self._findings, index)
        self._conflicts = ReferenceConflicts(self._memories)
        self._proposals = ReferenceProposals(self._memories)
        self._spooled = ReferenceSpooled()
        self._vectors = ReferenceVectors(self._memories, self._turns)
        self._tombstones = ReferenceTombstones()
        self._audit = ReferenceAudit()
        self._aliases = ReferenceAliases()
        self._receipts = ReferenceReceipts(self._accesses)
        self._upkeep = ReferenceUpkeep(self._memories, self._turns, self._accesses, self._audit, fading)
        self.memories = self._guarded(self._memories)
        self.sessions = self._guarded(self._sessions)
        self.turns = self._guarded(self._turns)
        self.findings = self._guarded(self._findings)
        self.conflicts = self._guarded(self._conflicts)
        self.proposals = self._guarded(self._proposals)
        self.spooled = self._guarded(self._spooled)
        self.vectors = self._guarded(self._vectors)
        self.tombstones = self._guarded(self._tombstones)
        self.audit = self._guarded(self._audit)
        self.accesses = self._guarded(self._accesses)
        self.aliases = self._guarded(self._aliases)
        self.receipts = self._guarded(self._receipts)
        self.upkeep = self._guarded(self._upkeep)

    def _guarded(self, facet: Facet) -> Facet:
        return cast("Facet", _Guarded(facet, self._lock, self._until))

    @contextmanager
    def writing(self, patience_ms: int | None = None) -> Iterator[None]:
        with self._lock:
            before = self._copies()
            try:
                yield
            except BaseException:
                self._restore(before)
                raise

    @contextmanager
    def reading(self, limit_ms: int | None = None) -> Iterator[None]:
        with self._lock:
            self._until.end = None if limit_ms is None else time.thread_time() + limit_ms / 1000
            try:
                yield
            finally:
                self._until.end = None

    def scrub(self) -> bool:
        self._vectors.failed = None
        return False

    def counts(self, now: int) -> Counts:
        with self._lock:
            return self._counts(now)

    def _counts(self, now: int) -> Counts:
        rows = list(self._memories.rows.values())
        current = [memory for memory in rows if memory.current(now)]
        superseded = sum(memory.superseded for memory in rows)
        return Counts(
            memories=len(current),
            superseded=superseded,
            expired=sum(not memory.superseded and not memory.holds(now) for memory in rows),
            faded=sum(memory.holds(now) and memory.faded(now) for memory in rows),
            by_kind=dict(Counter(memory.kind for memory in current).most_common()),
            by_status=dict(Counter(memory.status for memory in current).most_common()),
            by_trust=dict(Counter(memory.trust for memory in current).most_common()),
            reads=sum(memory.reads for memory in rows),
            sessions=len(self._sessions.rows),
            turns=len(self._turns.rows),
            tombstones=len(self._tombstones.marks),
            audit_events=len(self._audit.rows),
            accesses=len(self._accesses.rows),
            conflicts=len(self._conflicts.unresolved(now)),
            findings=len(self._findings.rows),
            proposals=len(self._proposals.waiting()),
        )

    def state(self) -> StoreState:
        return StoreState(
            place="memory",
            project=self._project,
            store_id="reference",
            schema=0,
            journal="none",
            mount=None,
            bytes=0,
            scrub_pending=False,
        )

    def close(self) -> None:
        """Nothing is held."""

    def _copies(self) -> tuple[object, ...]:
        return (
            dict(self._memories.rows),
            dict(self._memories.conflicts),
            dict(self._memories.proposals),
            self._memories.index.copy(),
            dict(self._sessions.rows),
            dict(self._turns.rows),
            dict(self._findings.rows),
            self._turns.index.copy(),
            (self._vectors.current, copied(self._vectors.rows), dict(self._vectors.marks), self._vectors.failed),
            dict(self._spooled.rows),
            set(self._tombstones.marks),
            (list(self._audit.rows), self._audit.anchor, self._audit.totals),
            list(self._accesses.rows),
            set(self._aliases.rows),
            list(self._receipts.rows),
            (dict(self._upkeep.facts), self._memories.reads),
        )

    def _restore(self, copies: tuple[object, ...]) -> None:
        (
            self._memories.rows,
            self._memories.conflicts,
            self._memories.proposals,
            self._memories.index,
            self._sessions.rows,
            self._turns.rows,
            self._findings.rows,
            self._turns.index,
            (self._vectors.current, self._vectors.rows, self._vectors.marks, self._vectors.failed),
            self._spooled.rows,
            self._tombstones.marks,
            (self._audit.rows, self._audit.anchor, self._audit.totals),
            self._accesses.rows,
            self._aliases.rows,
            self._receipts.rows,
            (self._upkeep.facts, self._memories.reads),
        ) = copies  # type: ignore[assignment, misc]  # as _copies laid them out


class _Until:
    """When the read under way has to end; None without a limit."""

    def __init__(self) -> None:
        self.end: float | None = None

    def check(self) -> None:
        """Raise when the time is up."""
        if self.end is not None and time.thread_time() > self.end:
            raise StoreSlow(path="memory", milliseconds="a few")


class _Guarded:
    """A facet whose every call waits for the transaction of another thread to end."""

    def __init__(self, facet: object, lock: threading.RLock, until: _Until) -> None:
        self._facet = facet
        self._lock = lock
        self._until = until

    def __getattr__(self, name: str) -> Callable[..., object]:
        method: Callable[..., object] = getattr(self._facet, name)

        def call(*arguments: object) -> object:
            with self._lock:
                self._until.check()
                return method(*arguments)

        return call
