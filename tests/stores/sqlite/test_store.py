"""What a new store's file is, and opening it again."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import apsw
import pytest

from holdfast.errors import StoreBusy, StoreDamaged, StoreTooNew
from holdfast.model.records import Event
from holdfast.model.search import Filters
from holdfast.stores.sqlite.connection import SCHEMA_VERSION, load
from holdfast.stores.sqlite.store import SqliteStore
from tests.contract.builders import NOW, a_memory, keep


def open_store(path: Path, **options: object) -> SqliteStore:
    """Open or make the store in a file."""
    return SqliteStore.open(path, project="p", now=NOW, **options)  # type: ignore[arg-type]  # our own names


def values(path: Path, sql: str) -> list[tuple[object, ...]]:
    """Ask the file from outside."""
    connection = apsw.Connection(str(path))
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def test_a_new_file_is_set_up_as_designed(tmp_path: Path) -> None:
    """Incremental vacuum from the start, write-ahead log, our mark and version."""
    path = tmp_path / "memory.db"
    open_store(path).close()
    pragmas = ("auto_vacuum", "journal_mode", "application_id", "user_version")
    assert [values(path, f"PRAGMA {name}")[0][0] for name in pragmas] == [2, "wal", 0x686F6C64, SCHEMA_VERSION]


def test_full_text_indexes_delete_for_good(tmp_path: Path) -> None:
    """`secure-delete` is set from the table's creation on."""
    path = tmp_path / "memory.db"
    open_store(path).close()
    for table in ("memory_fts", "turn_fts"):
        assert values(path, f"SELECT v FROM {table}_config WHERE k = 'secure-delete'") == [(1,)]


def test_every_connection_overwrites_what_it_deletes_and_trusts_no_schema(tmp_path: Path) -> None:
    """These settings live in the connection, not in the file."""
    store = open_store(tmp_path / "memory.db", synchronous="full")
    names = ("secure_delete", "trusted_schema", "cell_size_check", "foreign_keys", "synchronous")
    assert [store._database.pragma(name) for name in names] == [1, 0, 1, 1, 2]
    store.close()
    store = open_store(tmp_path / "memory.db")
    assert store._database.pragma("synchronous") == 1
    store.close()


def test_what_is_to_be_on_the_disk_is_seen_to_the_drive_itself_where_fsync_ends_before_it(tmp_path: Path) -> None:
    """On macOS; elsewhere SQLite knows no difference."""
    syncs = []
    for synchronous in ("normal", "full"):
        store = open_store(tmp_path / "memory.db", synchronous=synchronous)
        syncs.append([store._database.pragma(name) for name in ("fullfsync", "checkpoint_fullfsync")])
        store.close()
    assert syncs == [[0, 1], [1, 1]]


def test_state_says_where_and_how_the_store_lives(tmp_path: Path) -> None:
    """As `holdfast stats` shows it; opening again changes nothing of it."""
    path = tmp_path / "memory.db"
    store = open_store(path)
    first = store.state()
    store.close()
    assert (first.place, first.project, first.schema, first.journal) == (str(path), "p", SCHEMA_VERSION, "wal")
    assert first.bytes == path.stat().st_size
    again = SqliteStore.open(path, project="another name", now=NOW + 1)
    assert again.state() == first
    again.close()


def test_what_was_kept_is_there_when_the_store_is_opened_again(tmp_path: Path) -> None:
    """Rows, index and chain."""
    path = tmp_path / "memory.db"
    memory = a_memory()
    store = open_store(path)
    keep(store, memory)
    with store.writing():
        store.audit.record(Event(action="add", actor="python", at=NOW, ids=(memory.id,)))
        store.tombstones.add(["f" * 64])
    store.close()
    store = open_store(path)
    assert store.memories.newest(Filters(), 9) == [memory]
    assert store.audit.broken_at() is None
    assert store.tombstones.standing(["f" * 64]) == {"f" * 64}
    store.close()


def test_threads_that_create_at_once_share_one_store(tmp_path: Path) -> None:
    """One wins, nobody fails, and no work is lost."""
    path = tmp_path / "memory.db"
    start = Barrier(4)

    def make(number: int) -> str:
        start.wait()
        store = open_store(path)
        keep(store, a_memory(content=f"from thread {number}"))
        store_id = store.state().store_id
        store.close()
        return store_id

    with ThreadPoolExecutor(4) as pool:
        ids = list(pool.map(make, range(4)))
    assert len(set(ids)) == 1
    store = open_store(path)
    assert store.counts(NOW).memories == 4
    store.close()
    assert [file.name for file in tmp_path.iterdir()] == ["memory.db"]


def test_a_tampered_audit_event_is_named(tmp_path: Path) -> None:
    """The number of the first that does not fit, or is not there."""
    path = tmp_path / "memory.db"
    store = open_store(path)
    with store.writing():
        for number in range(5):
            store.audit.record(Event(action="add", actor="python", at=NOW + number, ids=()))
    for sql, broken in (
        ("UPDATE audit SET actor = 'eve' WHERE seq = 3", 3),
        ("UPDATE audit SET actor = 'python' WHERE seq = 3", None),
        ("DELETE FROM audit WHERE seq = 2", 2),
    ):
        values(path, sql)
        assert store.audit.broken_at() == broken
    store.close()


def test_tombstones_reveal_no_fingerprint(tmp_path: Path) -> None:
    """The mark is keyed with the store's own secret."""
    path = tmp_path / "memory.db"
    store = open_store(path)
    with store.writing():
        store.tombstones.add(["f" * 64])
    store.close()
    [(mark,)] = values(path, "SELECT mark FROM tombstone")
    assert isinstance(mark, bytes)
    assert len(mark) == 32
    assert mark not in (b"f" * 32, bytes.fromhex("f" * 64))


def test_a_newer_schema_is_read_and_never_written(tmp_path: Path) -> None:
    """Reads work, every write is refused with the advice to upgrade, and no byte of the file changes."""
    path = tmp_path / "memory.db"
    store = open_store(path)
    memory = a_memory()
    keep(store, memory)
    store.close()
    values(path, "PRAGMA user_version = 999")
    before = path.read_bytes()
    store = open_store(path)
    assert store.memories.newest(Filters(), 9) == [memory]
    message = rf"has schema 999, this holdfast knows {SCHEMA_VERSION}\. It can be read; upgrade holdfast to write"
    with pytest.raises(StoreTooNew, match=message):
        keep(store, a_memory())
    assert "upgrade holdfast" in (store.state().read_only or "")
    assert not store.scrub()
    store.close()
    assert path.read_bytes() == before


def test_a_damaged_file_is_said_to_be_damaged(tmp_path: Path) -> None:
    """And nothing of it is changed."""
    path = tmp_path / "memory.db"
    open_store(path).close()
    whole = path.read_bytes()
    path.write_bytes(whole[:100] + b"\xff" * (len(whole) - 100))
    before = path.read_bytes()
    with pytest.raises(StoreDamaged, match="is damaged"):
        open_store(path)
    assert path.read_bytes() == before


def test_a_store_locked_by_another_is_busy_after_the_time_given(tmp_path: Path) -> None:
    """Nothing was written, and it works once the other is done."""
    path = tmp_path / "memory.db"
    store = open_store(path, busy_ms=20)
    other = apsw.Connection(str(path))
    other.execute("BEGIN IMMEDIATE").fetchall()
    memory = a_memory()
    with pytest.raises(StoreBusy, match=r"stayed locked by another process for 0\.0 s\. Nothing was written"):
        keep(store, memory)
    other.execute("ROLLBACK").fetchall()
    other.close()
    keep(store, memory)
    assert store.memories.newest(Filters(), 9) == [memory]
    store.close()


def test_every_change_of_a_row_is_logged_once_with_a_new_nonce(tmp_path: Path) -> None:
    """What an index built earlier must catch up with."""
    path = tmp_path / "memory.db"
    store = open_store(path)
    one, two = a_memory(), a_memory()
    keep(store, one, two)
    [first] = values(path, "SELECT seq, nonce FROM change WHERE row = 1")
    with store.writing():
        store.memories.replace(one)
        store.memories.delete([two.id])
    assert values(path, "SELECT target, row, action FROM change ORDER BY seq") == [
        ("memory", 1, "update"),
        ("memory", 2, "delete"),
    ]
    [later] = values(path, "SELECT seq, nonce FROM change WHERE row = 1")
    assert later[0] != first[0]
    assert later[1] != first[1]
    store.close()


def test_what_changed_is_found_without_reading_every_change_there_ever_was(tmp_path: Path) -> None:
    """An index of vectors asks after each write, and a store may have a hundred thousand changes behind it."""
    path = tmp_path / "memory.db"
    open_store(path).close()
    connection = apsw.Connection(str(path))
    asked = load()["vectors_changed"]
    plan = connection.execute(f"EXPLAIN QUERY PLAN {asked}", {"position": 9, "target": "memory"}).fetchall()
    connection.close()
    assert "SEARCH c USING INTEGER PRIMARY KEY (rowid>?)" in [row[3] for row in plan]
