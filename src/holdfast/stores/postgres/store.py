"""The store of a tenant on PostgreSQL, put together: opening, transactions, figures."""

import re
import secrets
from contextlib import AbstractContextManager

from holdfast.errors import InvalidInput, NotAStore
from holdfast.model.ids import new_id
from holdfast.model.memory import Fading
from holdfast.model.records import Counts, StoreState
from holdfast.stores.postgres.connections import Connections
from holdfast.stores.postgres.database import Database
from holdfast.stores.postgres.memories import PostgresMemories
from holdfast.stores.postgres.records import (
    PostgresAccesses,
    PostgresAliases,
    PostgresAudit,
    PostgresReceipts,
    PostgresTombstones,
    PostgresUpkeep,
)
from holdfast.stores.postgres.rows import PostgresTables
from holdfast.stores.postgres.server import APP
from holdfast.stores.postgres.turns import PostgresFindings, PostgresSessions, PostgresTurns
from holdfast.stores.postgres.vectors import PostgresVectors
from holdfast.stores.sql.memories import SqlConflicts, SqlProposals
from holdfast.stores.sql.records import SqlSpooled, counted
from holdfast.stores.sql.sessions import SqlThreads
from holdfast.stores.weights import POSTINGS_BUDGET

_TENANT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,62}")


class PostgresStore:
    """`ports.Store` on a PostgreSQL server: one project's store, or one person's, of one tenant."""

    def __init__(
        self,
        database: Database,
        project: str,
        postings_budget: int = POSTINGS_BUDGET,
        fading: Fading | None = None,
    ) -> None:
        self._database = database
        self._project = project
        self._is_closed = False
        row = database.one("place_named", {"name": project})
        if row is None:
            raise NotAStore(path=database.address.shown, problem=f"tenant {database.tenant!r} has no {project!r}")
        database.place, self._store_id, key = row
        tables = self._tables = PostgresTables(database)
        self.memories = PostgresMemories(database, postings_budget, fading)
        self.turns = PostgresTurns(database, postings_budget)
        self.sessions = PostgresSessions(database, postings_budget)
        self.findings = PostgresFindings(tables)
        self.threads = SqlThreads(tables)
        self.conflicts = SqlConflicts(tables)
        self.proposals = SqlProposals(tables)
        self.spooled = SqlSpooled(tables)
        self.vectors = PostgresVectors(database)
        self.tombstones = PostgresTombstones(database, bytes(key))
        self.audit = PostgresAudit(database)
        self.accesses = PostgresAccesses(database)
        self.aliases = PostgresAliases(database)
        self.receipts = PostgresReceipts(database)
        self.upkeep = PostgresUpkeep(database, self.audit, self.accesses, fading)

    @classmethod
    def open(
        cls,
        dsn: str,
        *,
        tenant: str,
        project: str,
        now: int,
        create: bool = True,
        replica: str | None = None,
        busy_ms: int = 5_000,
        postings_budget: int = POSTINGS_BUDGET,
        fading: Fading | None = None,
        connections: Connections | None = None,
        role: str = APP,
    ) -> "PostgresStore":
        """Open a tenant's store on a server; what is missing there is made, as far as the login may.

        Connections that are given are their owner's to close, and have the replica, if any.
        """
        check_tenant(tenant)
        is_shared = connections is not None
        connections = connections or Connections.open(dsn, replica=replica, role=role)
        try:
            database = Database(connections, tenant, patience_ms=busy_ms, role=role, shared=is_shared)
            if create and database.one("place_named", {"name": project}) is None:
                fresh = {"name": project, "store_id": new_id(now), "key": secrets.token_bytes(32), "now": now}
                with database.writing():
                    database.all("place_make", fresh)
            return cls(database, project, postings_budget, fading)
        except BaseException:
            if not is_shared:
                connections.close()
            raise

    @property
    def connections(self) -> Connections:
        """Its connections, which another store of the same server may use until this one is closed."""
        return self._database.connections

    def writing(self, patience_ms: int | None = None) -> AbstractContextManager[None]:
        return self._database.writing(patience_ms)

    def reading(self, limit_ms: int | None = None) -> AbstractContextManager[None]:
        return self._database.reading(limit_ms)

    def scrub(self) -> bool:
        """Drop what an embedding server may have quoted; rows that are gone the server's own vacuum clears."""
        if self.vectors.failure():
            with self.writing():
                self.vectors.note_failure(None)
        return False

    def counts(self, now: int) -> Counts:
        with self.reading():
            conflicts, proposals = len(self.conflicts.unresolved(now)), len(self.proposals.waiting())
            return counted(self._tables, now, conflicts=conflicts, proposals=proposals)

    def state(self) -> StoreState:
        [(schema,)] = self._database.all("schema_version")
        return StoreState(
            place=f"{self._database.address.shown}#{self._database.tenant}",
            project=self._project,
            store_id=self._store_id,
            schema=schema,
            journal="wal",
            mount=None,
            bytes=self.upkeep.used(),
            scrub_pending=False,
        )

    def tend(self) -> None:
        """Do what is done in batches: sum up changes, put events into the chain, drop void queries."""
        while self.upkeep.compact(0):
            pass

    def close(self) -> None:
        if not self._is_closed:
            self._is_closed = True
            self._database.close()


def check_tenant(tenant: str) -> None:
    """Refuse what cannot name a tenant; the empty text is what the setting is when nobody set it."""
    if not isinstance(tenant, str) or not _TENANT.fullmatch(tenant):
        problem = "must be 1 to 63 letters, digits or any of ._@-, and begin with a letter or digit."
        raise InvalidInput(field="tenant", problem=problem)
