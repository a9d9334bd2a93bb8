"""The embedded store, put together: opening, transactions, scrubbing, figures."""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from holdfast.model.fading import Fading
from holdfast.model.records import Counts, StoreState
from holdfast.stores.sqlite import files, migrate
from holdfast.stores.sqlite.briefs import SqliteAliases, SqliteReceipts
from holdfast.stores.sqlite.conflicts import SqliteConflicts
from holdfast.stores.sqlite.connection import Database
from holdfast.stores.sqlite.findings import SqliteFindings
from holdfast.stores.sqlite.memories import SqliteMemories
from holdfast.stores.sqlite.migrate import Migrations
from holdfast.stores.sqlite.opening import open_database, open_to_look
from holdfast.stores.sqlite.proposals import SqliteProposals
from holdfast.stores.sqlite.records import Mark, SqliteAccesses, SqliteAudit, SqliteTombstones
from holdfast.stores.sqlite.sessions import SqliteSessions
from holdfast.stores.sqlite.spooled import SqliteSpooled
from holdfast.stores.sqlite.turns import SqliteTurns
from holdfast.stores.sqlite.upkeep import SqliteUpkeep
from holdfast.stores.sqlite.vectors import HNSW_FROM, SqliteVectors
from holdfast.stores.weights import POSTINGS_BUDGET


@dataclass(frozen=True, slots=True, kw_only=True)
class Care:
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
        hnsw_from: int = HNSW_FROM,
        forgotten: Callable[[str, Sequence[Mark]], None] | None = None,
        fading: Fading | None = None,
    ) -> None:
        self._database = database
        self._closed = False
        self.memories = SqliteMemories(database, postings_budget, fading)
        self.upkeep = SqliteUpkeep(database, fading)
        self.sessions = SqliteSessions(database, postings_budget)
        self.turns = SqliteTurns(database, postings_budget)
        self.findings = SqliteFindings(database)
        self.conflicts = SqliteConflicts(database)
        self.proposals = SqliteProposals(database)
        self.spooled = SqliteSpooled(database)
        self.vectors = SqliteVectors(database, hnsw_from)
        self.tombstones = SqliteTombstones(database, forgotten)
        self.audit = SqliteAudit(database)
        self.accesses = SqliteAccesses(database)
        self.aliases = SqliteAliases(database)
        self.receipts = SqliteReceipts(database)

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
        hnsw_from: int = HNSW_FROM,
        care: Care | None = None,
    ) -> "SqliteStore":
        """Open the store in a file, made if there is none; a directory made for it is its owner's alone."""
        care = care or Care()
        if not files.check_existing(path):
            _make(path, project, now, care)
        plan = care.migrations or migrate.migrations()
        database = open_database(path, known=plan[-1][0], busy_ms=busy_ms, synchronous=synchronous)
        try:
            if not database.refusal:
                migrate.bring_up(database, plan, care.before_migration)
                if files.mount_kind(path.parent) and database.pragma("journal_mode") == "wal":
                    database.pragma("journal_mode = DELETE")
            store = cls(database, postings_budget, hnsw_from, care.forgotten, care.fading)
            if not database.refusal and store._scrub_pending():
                store.scrub()
            return store
        except BaseException:
            database.close()
            raise

    @classmethod
    def look(cls, path: Path, postings_budget: int = POSTINGS_BUDGET) -> "SqliteStore | None":
        """Open the store in a file to read only, None where its schema is not today's: that is not for a guest."""
        if files.schema_version(path) != migrate.migrations()[-1][0]:
            return None
        database = open_to_look(path)
        return cls(database, postings_budget) if database else None

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
        pending = self._database.truncate_log()
        if pending != self._scrub_pending():
            with self.writing():
                self._database.all("meta_set", {"key": "scrub_pending", "value": int(pending)})
        return pending

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
        with self.reading():
            groups = cast("list[tuple[str, str, str, int]]", self._database.all("memories_grouped", {"now": now}))
            totals = cast("tuple[int, ...]", self._database.one("memories_totals", {"now": now}))
            records = cast("tuple[int, ...]", self._database.one("record_counts"))
            conflicts = len(self.conflicts.unresolved(now))
            proposals = len(self.proposals.waiting())
        kinds: Counter[str] = Counter()
        statuses: Counter[str] = Counter()
        trusts: Counter[str] = Counter()
        for kind, status, trust, number in groups:
            kinds[kind] += number
            statuses[status] += number
            trusts[trust] += number
        memories, superseded, expired, faded, reads = totals
        sessions, turns, tombstones, audit_events, accesses, findings = records
        return Counts(
            memories=memories - superseded - expired - faded,
            superseded=superseded,
            expired=expired,
            faded=faded,
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
            findings=findings,
            proposals=proposals,
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
            read_only=str(self._database.refusal) if self._database.refusal else None,
        )

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self.vectors.close()
            self._database.close()

    def _scrub_pending(self) -> bool:
        return bool(self._fact("scrub_pending"))

    def _fact(self, key: str) -> object:
        row = self._database.one("meta_get", {"key": key})
        return row[0] if row else None


def _make(path: Path, project: str, now: int, care: Care) -> None:
    if not path.parent.is_dir():  # a directory that is there may be anybody's: its mode is left alone
        files.prepare_directory(path.parent)
    log = files.mount_kind(path.parent) is None

    def fill(fresh: Path) -> None:
        care.claim(fresh, migrate.build(fresh, project=project, now=now, log=log))

    files.create(path, fill)
