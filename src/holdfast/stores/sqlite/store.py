"""The embedded store, put together: opening, transactions, scrubbing, figures."""

from collections import Counter
from contextlib import AbstractContextManager
from pathlib import Path
from typing import cast

from holdfast.model.records import Counts, StoreState
from holdfast.stores.sqlite import files, migrate
from holdfast.stores.sqlite.conflicts import SqliteConflicts
from holdfast.stores.sqlite.connection import Database
from holdfast.stores.sqlite.memories import SqliteMemories
from holdfast.stores.sqlite.records import SqliteAccesses, SqliteAudit, SqliteTombstones
from holdfast.stores.sqlite.sessions import SqliteSessions
from holdfast.stores.sqlite.turns import SqliteTurns
from holdfast.stores.weights import POSTINGS_BUDGET


class SqliteStore:
    """`ports.Store` in one SQLite file."""

    def __init__(self, database: Database, postings_budget: int = POSTINGS_BUDGET) -> None:
        self._database = database
        self._closed = False
        self.memories = SqliteMemories(database, postings_budget)
        self.sessions = SqliteSessions(database)
        self.turns = SqliteTurns(database, postings_budget)
        self.conflicts = SqliteConflicts(database)
        self.tombstones = SqliteTombstones(database)
        self.audit = SqliteAudit(database)
        self.accesses = SqliteAccesses(database)

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
    ) -> "SqliteStore":
        """Open the store in a file, made if there is none; a directory made for it is its owner's alone."""
        if not files.check_existing(path):
            if not path.parent.is_dir():  # a directory that is there may be anybody's: its mode is left alone
                files.prepare_directory(path.parent)
            log = files.mount_kind(path.parent) is None
            files.create(path, lambda fresh: migrate.build(fresh, project=project, now=now, log=log))
        database = Database(str(path), busy_ms=busy_ms, synchronous=synchronous)
        try:
            migrate.bring_up(database)
            if files.mount_kind(path.parent) and database.pragma("journal_mode") == "wal":
                database.pragma("journal_mode = DELETE")
            store = cls(database, postings_budget)
            if store._scrub_pending():
                store.scrub()
            return store
        except BaseException:
            database.close()
            raise

    def writing(self) -> AbstractContextManager[None]:
        return self._database.writing()

    def reading(self) -> AbstractContextManager[None]:
        return self._database.reading()

    def scrub(self) -> bool:
        """Empty the write-ahead log, where deleted text lives on until then; the wish survives a crash."""
        pending = self._database.truncate_log()
        if pending != self._scrub_pending():
            with self.writing():
                self._database.all("meta_set", {"key": "scrub_pending", "value": int(pending)})
        return pending

    def counts(self, now: int) -> Counts:
        with self.reading():
            groups = cast("list[tuple[str, str, str, int]]", self._database.all("memories_grouped", {"now": now}))
            totals = cast("tuple[int, ...]", self._database.one("memories_totals", {"now": now}))
            records = cast("tuple[int, ...]", self._database.one("record_counts"))
            conflicts = len(self.conflicts.unresolved(now))
        kinds: Counter[str] = Counter()
        statuses: Counter[str] = Counter()
        trusts: Counter[str] = Counter()
        for kind, status, trust, number in groups:
            kinds[kind] += number
            statuses[status] += number
            trusts[trust] += number
        memories, superseded, expired, reads = totals
        sessions, turns, tombstones, audit_events, accesses = records
        return Counts(
            memories=memories - superseded - expired,
            superseded=superseded,
            expired=expired,
            by_kind=dict(kinds.most_common()),
            by_status=dict(statuses.most_common()),
            by_trust=dict(trusts.most_common()),
            reads=reads,
            sessions=sessions,
            turns=turns,
            tombstones=tombstones,
            audit_events=audit_events,
            accesses=accesses,
            conflicts=conflicts,
        )

    def state(self) -> StoreState:
        pages, free, size = (
            cast(int, self._database.pragma(name)) for name in ("page_count", "freelist_count", "page_size")
        )
        return StoreState(
            place=self._database.path,
            project=str(self._fact("project")),
            store_id=str(self._fact("store_id")),
            schema=cast(int, self._database.pragma("user_version")),
            journal=str(self._database.pragma("journal_mode")),
            mount=files.mount_kind(Path(self._database.path).parent),
            bytes=(pages - free) * size,
            scrub_pending=self._scrub_pending(),
        )

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._database.close()

    def _scrub_pending(self) -> bool:
        return bool(self._fact("scrub_pending"))

    def _fact(self, key: str) -> object:
        row = self._database.one("meta_get", {"key": key})
        return row[0] if row else None
