"""The reference store, put together. A transaction works on the live rows and puts copies back on failure."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from holdfast.errors import StoreSlow
from holdfast.model.kinds import CANDIDATE
from holdfast.model.memory import Fading
from holdfast.model.records import Counts, StoreState
from holdfast.model.type_hints import TYPE_CHECKING, cast
from holdfast.stores.reference.index import Index
from holdfast.stores.reference.memories import ReferenceConflicts, ReferenceMemories, ReferenceProposals
from holdfast.stores.reference.records import (
    ReferenceAccesses,
    ReferenceAliases,
    ReferenceAudit,
    ReferenceReceipts,
    ReferenceSpooled,
    ReferenceTombstones,
)
from holdfast.stores.reference.turns import ReferenceFindings, ReferenceSessions, ReferenceTurns
from holdfast.stores.reference.upkeep import ReferenceUpkeep
from holdfast.stores.reference.vectors import ReferenceVectors
from holdfast.stores.weights import MEMORY_WEIGHTS, POSTINGS_BUDGET, TURN_WEIGHTS

if TYPE_CHECKING:
    from typing import TypeVar

    Facet = TypeVar("Facet")


class ReferenceStore:
    """`ports.Store` in this process's memory."""

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
        self._spool_claims = ReferenceSpooled()
        self._vectors = ReferenceVectors(self._memories, self._turns)
        self._tombstones = ReferenceTombstones()
        self._audit = ReferenceAudit()
        self._aliases = ReferenceAliases()
        self._receipts = ReferenceReceipts(self._accesses)
        self._upkeep = ReferenceUpkeep(self._memories, self._turns, self._accesses, self._audit, fading)
        self._facets = (
            self._memories, self._sessions, self._turns, self._findings, self._spool_claims, self._vectors,
            self._tombstones, self._audit, self._accesses, self._aliases, self._receipts, self._upkeep,
        )  # fmt: skip
        self.memories = self._guard(self._memories)
        self.sessions = self._guard(self._sessions)
        self.turns = self._guard(self._turns)
        self.findings = self._guard(self._findings)
        self.conflicts = self._guard(self._conflicts)
        self.proposals = self._guard(self._proposals)
        self.spooled = self._guard(self._spool_claims)
        self.vectors = self._guard(self._vectors)
        self.tombstones = self._guard(self._tombstones)
        self.audit = self._guard(self._audit)
        self.accesses = self._guard(self._accesses)
        self.aliases = self._guard(self._aliases)
        self.receipts = self._guard(self._receipts)
        self.upkeep = self._guard(self._upkeep)

    def _guard(self, facet: Facet) -> Facet:
        return cast("Facet", _Guarded(facet, self._lock, self._until))

    @contextmanager
    def writing(self, patience_ms: int | None = None) -> Iterator[None]:
        with self._lock:
            before = self._copies()
            try:
                yield
            except BaseException:
                for attributes, copies in before:
                    attributes.update(copies)
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
        superseded_count = sum(memory.superseded for memory in rows)
        return Counts(
            memories=len(current),
            superseded=superseded_count,
            expired=sum(not memory.superseded and not memory.holds(now) for memory in rows),
            faded=sum(memory.holds(now) and memory.faded(now) for memory in rows),
            by_kind=dict(Counter(memory.kind for memory in current).most_common()),
            by_status=dict(Counter(memory.status for memory in current).most_common()),
            by_trust=dict(Counter(memory.trust for memory in current).most_common()),
            candidates=dict(
                Counter(memory.trust for memory in current if memory.status == CANDIDATE).most_common()
            ),
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

    def _copies(self) -> list[tuple[dict[str, object], dict[str, object]]]:
        """Return what each facet holds, live and as a copy that later changes leave alone."""
        return [
            (vars(facet), {name: _copied(attribute) for name, attribute in vars(facet).items()})
            for facet in self._facets
        ]


def _copied(attribute: object) -> object:
    return attribute.copy() if isinstance(attribute, dict | list | set | Index) else attribute


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
