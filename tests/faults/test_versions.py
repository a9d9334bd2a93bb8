"""Schemas that differ from the code's: older ones are copied and brought up, newer ones only read.

There is one schema so far, so a made-up second step stands in for the first real one.
"""

from pathlib import Path

import apsw
import pytest

from holdfast import Holdfast
from holdfast.errors import StoreDamaged, StoreTooNew
from holdfast.storage.workspace import open_guard
from holdfast.stores.sqlite.connection import SCHEMA_VERSION
from holdfast.stores.sqlite.migrate import migrations
from holdfast.stores.sqlite.store import Care, SqliteStore
from tests.faults.hostile import ask, change
from tests.faults.processes import database, finish, start
from tests.faults.worker import SECOND_STEP


def versions(project: Path) -> tuple[object, object, object]:
    """Return the schema's version, whether the new table is there, and whether the new column is."""
    path = database(project)
    [(version,)] = ask(path, "PRAGMA user_version")
    [(table,)] = ask(path, "SELECT count(*) FROM sqlite_schema WHERE name = 'slow'")
    [(column,)] = ask(path, "SELECT count(*) FROM pragma_table_info('memory') WHERE name = 'extra'")
    return version, table, column


OLD, NEW = (SCHEMA_VERSION, 0, 0), (SCHEMA_VERSION + 1, 1, 1)


def test_an_older_schema_is_copied_and_then_brought_up(project: Path) -> None:
    """The copy is whole, has the old schema, and is made before anything changes."""
    with Holdfast.open(project) as memory:
        memory.add("Before the change")
    guard = open_guard(project, actor="test")
    care = Care(before_migration=guard.back_up_before_migration, migrations=[*migrations(), SECOND_STEP])
    store = SqliteStore.open(database(project), project="p", now=1, care=care)
    assert store.state().schema == SCHEMA_VERSION + 1
    store.close()
    assert versions(project) == NEW
    [backup] = guard.backups()
    assert backup.label == "migration"
    assert ask(Path(backup.path), "PRAGMA user_version") == [(SCHEMA_VERSION,)]
    assert ask(Path(backup.path), "SELECT content FROM memory") == [("Before the change",)]


def test_no_copy_no_migration(project: Path) -> None:
    """When the store cannot be copied, its schema stays as it is."""
    Holdfast.open(project).close()

    def fail(path: Path) -> None:
        raise OSError("no space left")

    care = Care(before_migration=fail, migrations=[*migrations(), SECOND_STEP])
    with pytest.raises(OSError, match="no space left"):
        SqliteStore.open(database(project), project="p", now=1, care=care)
    assert versions(project) == OLD


def test_of_two_migrations_at_once_one_waits_for_the_other(project: Path) -> None:
    """Both end well, on one schema; no lock surfaces."""
    Holdfast.open(project).close()
    workers = [start("migrate", project) for _ in range(3)]
    assert [finish(worker) for worker in workers] == [[str(SCHEMA_VERSION + 1)]] * 3
    assert versions(project) == NEW
    assert ask(database(project), "SELECT count(*) FROM slow") == [(100_000,)]


def test_a_file_whose_head_gives_no_version_is_damaged(project: Path) -> None:
    Holdfast.open(project).close()
    change(database(project), "PRAGMA user_version = 0")
    with pytest.raises(StoreDamaged, match="gives no version of a schema"):
        Holdfast.open(project)


def test_a_store_of_a_newer_holdfast_can_be_read_and_not_written(project: Path) -> None:
    """Search, get and list work; each write says what to do; the file keeps every byte."""
    with Holdfast.open(project) as memory:
        added = memory.add("From the future").id or ""
    change(database(project), "PRAGMA user_version = 99")
    before = database(project).read_bytes()
    with Holdfast.open(project) as memory:
        assert [hit.title for hit in memory.search("future")] == ["From the future"]
        assert memory.get(added)[0].content == "From the future"
        assert "upgrade holdfast" in (memory.stats().project.read_only or "")
        for write in (lambda: memory.add("No"), lambda: memory.forget(added), memory.start_session):
            with pytest.raises(StoreTooNew, match="It can be read; upgrade holdfast to write to it"):
                write()
    assert database(project).read_bytes() == before


def test_a_newer_schema_that_only_the_log_knows_of_is_respected(project: Path) -> None:
    """The log is not moved into the file either."""
    with Holdfast.open(project) as memory:
        memory.add("One")
    other = apsw.Connection(str(database(project)))
    for _ in other.execute("PRAGMA user_version = 99"):
        pass
    log = database(project).with_name("memory.db-wal")
    before = database(project).read_bytes(), log.read_bytes()
    other.close()
    database(project).write_bytes(before[0])  # as a killed process would have left the two
    log.write_bytes(before[1])
    with Holdfast.open(project) as memory:
        assert [one.content for one in memory.list()] == ["One"]
        with pytest.raises(StoreTooNew, match="has schema 99"):
            memory.add("Two")
    assert (database(project).read_bytes(), log.read_bytes()) == before
