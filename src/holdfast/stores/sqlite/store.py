"""The embedded store, put together: opening, transactions, scrubbing, figures. Light.

What a brief reads is made at once. The other facets are made, and what they are written in is imported, when
somebody asks for them: a hook has no time for them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from typing import TYPE_CHECKING, cast

from msgspec import Struct

from holdfast.machine.disk import mount_kind
from holdfast.model.memory import Fading
from holdfast.model.records import Counts, StoreState
from holdfast.stores.sql.briefs import SqlAliases, SqlReceipts
from holdfast.stores.sql.memories import SqlConflicts, SqlProposals
from holdfast.stores.sql.sessions import SqlSessions, SqlThreads
from holdfast.stores.sqlite.connection import IN_MEMORY, SCHEMA_VERSION, Database
from holdfast.stores.sqlite.memories import SqliteFindings, SqliteMemories, SqliteTurns
from holdfast.stores.sqlite.opening import open_as_it_is, open_in_memory, open_to_look, schema_version
from holdfast.stores.sqlite.rows import SCRUB_PENDING, SqliteTables
from holdfast.stores.weights import POSTINGS_BUDGET

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.stores.sql.records import SqlSpooled
    from holdfast.stores.sqlite.migrate import Migrations
    from holdfast.stores.sqlite.records import Mark, SqliteAccesses, SqliteAudit, SqliteTombstones, SqliteUpkeep
    from holdfast.stores.sqlite.vectors import SqliteVectors


class Care(Struct, frozen=True, kw_only=True):
    """What goes on around a store's file."""

    claim: Callable[[Path, str], None] = lambda fresh, store_id: None
    """Told of a new store's file and id just before the file gets its name."""
    before_migration: Callable[[Path], None] = lambda path: None
    """Called before a schema is changed, while nobody writes."""
    forgotten: Callable[[str, Sequence[Mark]], None] | None = None
    """Told of the store's id and of marks that came and went, once that is kept."""
    fading: Fading | None = None
    """When memories fade; without it they do when they say so themselves."""
    migrations: Migrations = ()
    """The versions of the schema, if not this package's own."""


class SqliteStore:
    """`ports.Store` in one SQLite file."""

    def __init__(
        self,
        database: Database,
        postings_budget: int = POSTINGS_BUDGET,
        hnsw_from: int | None = None,
        forgotten: Callable[[str, Sequence[Mark]], None] | None = None,
        fading: Fading | None = None,
    ) -> None:
        self._database = database
        self._tables = SqliteTables(database)
        self._is_closed = False
        self._hnsw_from = hnsw_from
        self._on_forgotten = forgotten
        self._fading = fading
        self.memories = SqliteMemories(database, postings_budget, fading)
        self.sessions = SqlSessions(self._tables, postings_budget)
        self.turns = SqliteTurns(database, postings_budget)
        self.findings = SqliteFindings(self._tables)
        self.threads = SqlThreads(self._tables)
        self.conflicts = SqlConflicts(self._tables)
        self.proposals = SqlProposals(self._tables)
        self.aliases = SqlAliases(self._tables)
        self.receipts = SqlReceipts(self._tables)

    @cached_property
    def vectors(self) -> SqliteVectors:
        from holdfast.stores.sqlite.vectors import SqliteVectors

        if self._hnsw_from is None:
            return SqliteVectors(self._database)
        return SqliteVectors(self._database, self._hnsw_from)

    @cached_property
    def upkeep(self) -> SqliteUpkeep:
        from holdfast.stores.sqlite.records import SqliteUpkeep

        return SqliteUpkeep(self._database, self._fading)

    @cached_property
    def spooled(self) -> SqlSpooled:
        from holdfast.stores.sql.records import SqlSpooled

        return SqlSpooled(self._tables)

    @cached_property
    def tombstones(self) -> SqliteTombstones:
        from holdfast.stores.sqlite.records import SqliteTombstones

        return SqliteTombstones(self._database, self._on_forgotten)

    @cached_property
    def audit(self) -> SqliteAudit:
        from holdfast.stores.sqlite.records import SqliteAudit

        return SqliteAudit(self._database)

    @cached_property
    def accesses(self) -> SqliteAccesses:
        from holdfast.stores.sqlite.records import SqliteAccesses

        return SqliteAccesses(self._database)

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        project: str,
        now: int,
        busy_ms: int = 5_000,
        synchronous: str = "normal",
        postings_budget: int = POSTINGS_BUDGET,
        hnsw_from: int | None = None,
        care: Care | None = None,
    ) -> SqliteStore:
        """Open the store in a file, made if there is none; a directory made for it is its owner's alone."""
        from holdfast.stores.sqlite.migrate import open_or_make  # making and migrating: not light

        care = care or Care()
        database = open_or_make(path, project, now, care, busy_ms=busy_ms, synchronous=synchronous)
        try:
            store = cls(database, postings_budget, hnsw_from, care.forgotten, care.fading)
            if not database.refusal and store._scrub_pending():
                store.scrub()
            return store
        except BaseException:
            database.close()
            raise

    @classmethod
    def in_memory(
        cls,
        project: str = "memory",
        now: int = 0,
        *,
        postings_budget: int = POSTINGS_BUDGET,
        hnsw_from: int | None = None,
        fading: Fading | None = None,
    ) -> SqliteStore:
        """Make an empty store that is in this process's memory alone, and gone when it is closed."""
        return cls(open_in_memory(project, now), postings_budget, hnsw_from, fading=fading)

    @classmethod
    def look(cls, path: Path, postings_budget: int = POSTINGS_BUDGET) -> SqliteStore | None:
        """Open the store in a file to read only, None where its schema is not today's: that is not for a guest."""
        if schema_version(path) != SCHEMA_VERSION:
            return None
        database = open_to_look(path)
        return cls(database, postings_budget) if database else None

    @classmethod
    def open_as_it_is(cls, path: str, *, busy_ms: int, postings_budget: int = POSTINGS_BUDGET) -> SqliteStore:
        """Open the store in a file that is there, for a moment: nothing is made, migrated, scrubbed or moved.

        It can be written where the file can, and waits for others this long at most.
        """
        return cls(open_as_it_is(path, known=SCHEMA_VERSION, busy_ms=busy_ms), postings_budget)

    def writing(self, patience_ms: int | None = None) -> AbstractContextManager[None]:
        return self._database.writing(patience_ms)

    def reading(self, limit_ms: int | None = None) -> AbstractContextManager[None]:
        return self._database.reading(limit_ms)

    def scrub(self) -> bool:
        """Drive deleted text out of the index's separators and the write-ahead log; the wish survives a crash.

        Files beside the database that hold vectors of what is gone are removed; they are made again when needed.
        """
        if self._database.refusal:
            return self._scrub_pending()

        for table in ("memory", "turn"):
            if self.upkeep.keeps_dead_words() or self._keeps_dead_words(table):
                self._database.script(f"INSERT INTO {table}_fts ({table}_fts) VALUES ('optimize')")
        if self._scrub_pending():
            self.vectors.discard()
        is_pending = self._database.truncate_log()
        if is_pending != self._scrub_pending():
            with self.writing():
                self._tables.note(SCRUB_PENDING, int(is_pending))
        return is_pending

    def _keeps_dead_words(self, table: str) -> bool:
        """Say whether the index separates its pages by a word that no row holds any more.

        FTS5's secure-delete takes a word out of its pages, but not out of the keys between them.
        """
        for (key,) in self._database.all(f"{table}_separators"):
            word = cast(bytes, key)[1:].decode(errors="ignore")
            following = self._database.one(f"{table}_word_from", {"word": word})
            if word and not (following and str(following[0]).startswith(word)):
                return True
        return False

    def counts(self, now: int) -> Counts:
        from holdfast.stores.sql.records import counted

        with self.reading():
            conflicts, proposals = len(self.conflicts.unresolved(now)), len(self.proposals.waiting())
            return counted(self._tables, now, conflicts=conflicts, proposals=proposals)

    def state(self) -> StoreState:
        if self._database.path == IN_MEMORY:
            return self._state_in_memory()
        return StoreState(
            place=self._database.path,
            project=self._tables.fact("project"),
            store_id=self._tables.fact("store_id"),
            schema=cast(int, self._database.pragma("user_version")),
            journal=str(self._database.pragma("journal_mode")),
            mount=mount_kind(os.path.dirname(self._database.path)),
            bytes=self.upkeep.used(),
            scrub_pending=self._scrub_pending(),
            read_only=str(self._database.refusal) if self._database.refusal else None,
        )

    def _state_in_memory(self) -> StoreState:
        """Nothing is kept, so there is no schema, log or size to tell; by the schema 0 the service knows it."""
        return StoreState(
            place="memory",
            project=self._tables.fact("project"),
            store_id=self._tables.fact("store_id"),
            schema=0,
            journal="none",
            mount=None,
            bytes=0,
            scrub_pending=self._scrub_pending(),
        )

    def close(self) -> None:
        if not self._is_closed:
            self._is_closed = True
            if "vectors" in self.__dict__:  # what nobody asked for has nothing to save
                self.vectors.close()
            self._database.close()

    def _scrub_pending(self) -> bool:
        return bool(self._tables.fact(SCRUB_PENDING))
