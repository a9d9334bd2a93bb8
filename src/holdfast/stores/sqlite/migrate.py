"""Making a store's file from `schema.sql`, and bringing an older one up by numbered steps, in one transaction."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from holdfast.errors import NotAStore, StoreDamaged
from holdfast.machine import disk
from holdfast.stores.sqlite import files
from holdfast.stores.sqlite.connection import APPLICATION_ID, SCHEMA_VERSION, Database, read_sql, translate_errors
from holdfast.stores.sqlite.opening import new_facts, open_database, schema_of

if TYPE_CHECKING:
    from holdfast.stores.sqlite.store import Care

Migrations = Sequence[tuple[int, str]]
"""Version and SQL, in order."""

PATIENCE_MS = 120_000
"""How long a process waits for another one that is changing the schema."""

_FOLDER = Path(__file__).parent / "migrations"


def migrations() -> list[tuple[int, str]]:
    """Return the steps from version 1 to today's schema as (version, SQL), in order; there is none yet."""
    files = sorted(_FOLDER.glob("[0-9]*.sql"))
    return [(int(file.name.split("_")[0]), file.read_text(encoding="utf-8")) for file in files]


def open_or_make(path: Path, project: str, now: int, care: "Care", *, busy_ms: int, synchronous: str) -> Database:
    """Open a store's file; a directory made for it is its owner's alone."""
    if not files.check_existing(path):
        _make(path, project, now, care)
    plan = care.migrations or migrations()
    database = open_database(path, known=_target(plan), busy_ms=busy_ms, synchronous=synchronous)
    try:
        if not database.refusal:
            bring_up(database, plan, care.before_migration)
            if disk.mount_kind(path.parent) and database.pragma("journal_mode") == "wal":
                database.pragma("journal_mode = DELETE")
    except BaseException:
        database.close()
        raise
    return database


def _make(path: Path, project: str, now: int, care: "Care") -> None:
    if not path.parent.is_dir():  # a directory that is there may be anybody's: its mode is left alone
        files.prepare_directory(path.parent)
    log = disk.mount_kind(path.parent) is None

    def fill(fresh: Path) -> None:
        store_id = build(fresh, project=project, now=now, log=log)
        care.claim(fresh, store_id)

    files.create(path, fill)


def build(path: Path, *, project: str, now: int, log: bool) -> str:
    """Fill an empty file with the schema; return the id of the new store.

    auto_vacuum comes first: set later it silently stays off.
    """
    with translate_errors(str(path), 0):
        connection = apsw.Connection(str(path))
        for _ in connection.execute(
            f"PRAGMA auto_vacuum = INCREMENTAL; PRAGMA application_id = {APPLICATION_ID}; BEGIN IMMEDIATE;"
            f"{read_sql('schema.sql')}; PRAGMA user_version = {SCHEMA_VERSION};"
        ):
            pass
        facts = new_facts(project, now)
        connection.executemany("INSERT INTO meta (key, value) VALUES (?, ?)", facts.items())
        for _ in connection.execute("COMMIT; PRAGMA journal_mode = " + ("WAL" if log else "DELETE")):
            pass
        connection.close()
    return str(facts["store_id"])


@contextlib.contextmanager
def brought_up(copy: Path) -> Iterator[Database]:
    """Open a copy of a store that nobody else has open, with today's schema."""
    with contextlib.closing(Database(str(copy))) as database:
        bring_up(database, migrations(), lambda path: None)
        yield database


def bring_up(database: Database, plan: Migrations, before: Callable[[Path], None]) -> None:
    """Apply what is missing, all or nothing; a copy is made first, under the lock that keeps others waiting."""
    if database.pragma("application_id") != APPLICATION_ID:
        raise NotAStore(path=database.path, problem="another program's database")
    target = _target(plan)
    if schema_of(database) >= target:
        return
    with database.waiting(PATIENCE_MS), database.writing():
        current_version = schema_of(database)
        if current_version >= target:  # another process was first
            return
        if current_version < 1:
            raise StoreDamaged(path=database.path, problem="its head gives no version of a schema")
        before(Path(database.path))
        for version, sql in plan:
            if version > current_version:
                database.script(f"{sql}\n; PRAGMA user_version = {version};")


def _target(plan: Migrations) -> int:
    return plan[-1][0] if plan else SCHEMA_VERSION
