"""The stores of a brief: opened as they are, as far as they can be, and never with an error."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

from holdfast import Holdfast
from holdfast.errors import StoreBusy, StoreTooNew
from holdfast.machine import failures, paths
from holdfast.model.brief import Receipt
from holdfast.model.search import Filters
from holdfast.service.scopes import Scopes
from holdfast.storage.brief_stores import open_stores_for_brief
from holdfast.stores.sqlite.connection import SCHEMA_VERSION
from tests.house.test_layers import HEAVY

CENTS = "Prices are stored in integer cents"
TABS = "I prefer tabs"


@pytest.fixture
def database(project: Path) -> Path:
    """A project's store with one memory, closed; the user's own has another."""
    with Holdfast.open(project) as memory:
        memory.add(CENTS, trust="user")
        memory.add(TABS, trust="user", scope="user")
    return project / ".holdfast" / "memory.db"


@pytest.fixture
def own_database(database: Path) -> Path:
    """The user's own store beside it."""
    return Path(paths.data_directory()) / "memory.db"


@contextmanager
def opened(database: Path) -> Iterator[Scopes]:
    scopes = open_stores_for_brief(str(database.parent.parent), str(database))
    try:
        yield scopes
    finally:
        scopes.close()


def told(database: Path) -> list[str]:
    """Return what the stores of a brief hold, the project's first."""
    with opened(database) as scopes:
        return [memory.content for store in scopes.present for memory in store.memories.newest(Filters(), 9)]


def failure(database: Path) -> str:
    """Return what the last trace says of the project."""
    last = failures.last(str(database.parent.parent))
    return " ".join(last[1:]) if last else ""


def run(database: Path, sql: str) -> None:
    connection = apsw.Connection(str(database))
    list(connection.execute(sql))
    connection.close()


def contents(database: Path) -> dict[str, bytes]:
    """Return every file of a store that holds something; a log may be there and empty."""
    parts = {part: Path(f"{database}{part}") for part in ("", "-wal", "-journal")}
    return {part: path.read_bytes() if path.exists() else b"" for part, path in parts.items()}


def a_receipt() -> Receipt:
    return Receipt(
        id="r", at=1, agent="codex", session=None, prompted=True, budget=1, tokens=1,
        took_ms=1, cut=False, degraded=False,
    )  # fmt: skip


def test_both_stores_are_read(database: Path) -> None:
    assert told(database) == [CENTS, TABS]
    assert failure(database) == ""


def test_without_a_project_store_there_is_what_the_user_said_and_nothing_is_made(database: Path) -> None:
    missing = database.parent / "other.db"
    assert told(missing) == [TABS]
    assert not missing.exists()


def test_without_any_store_nothing_is_read_or_made(project: Path) -> None:
    assert told(project / ".holdfast" / "memory.db") == []
    assert list(project.iterdir()) == []
    assert not os.path.exists(paths.data_directory())


def test_a_store_that_somebody_else_made_is_not_opened(database: Path) -> None:
    """A clone may bring one along, with triggers in it: SQLite must not see it."""
    copy = database.with_name("copy.db")
    copy.write_bytes(database.read_bytes())
    copy.replace(database)
    before = set(database.parent.iterdir())
    assert told(database) == [TABS]
    assert "UntrustedStore" in failure(database)
    assert set(database.parent.iterdir()) == before


def test_an_older_schema_is_left_to_those_who_have_the_time(database: Path) -> None:
    run(database, "PRAGMA user_version = 0")
    before = contents(database)
    assert told(database) == [TABS]
    assert f"has schema 0, this holdfast uses {SCHEMA_VERSION}" in failure(database)
    assert contents(database) == before


def test_a_newer_schema_is_read_and_not_written(database: Path) -> None:
    run(database, "PRAGMA user_version = 999")
    assert told(database) == [CENTS, TABS]
    with opened(database) as scopes, pytest.raises(StoreTooNew), scopes.project.writing():
        scopes.project.receipts.record(a_receipt())


def test_a_damaged_store_costs_what_it_holds_and_not_the_other(own_database: Path, database: Path) -> None:
    own_database.write_bytes(b"SQLite format 3\x00" + b"\x07" * 4_096)
    assert told(database) == [CENTS]
    assert "StoreDamaged" in failure(database)


def test_a_store_that_cannot_be_used_is_traced_once(own_database: Path, database: Path) -> None:
    """However often its scope is asked for."""
    own_database.write_bytes(b"no database")
    with opened(database) as scopes:
        assert [len(scopes.present) for _ in range(3)] == [1, 1, 1]
    lines = Path(paths.data_directory(), "failures.log").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 1


def test_another_programs_database_in_the_users_place_is_not_read(own_database: Path, database: Path) -> None:
    own_database.unlink()
    run(own_database, "CREATE TABLE notes (text); PRAGMA user_version = 7")
    assert told(database) == [CENTS]
    assert "another program's database" in failure(database)


def test_a_store_that_is_locked_whole_is_gone_without(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_HOOK_PACE", "1")
    holder = apsw.Connection(str(database))
    list(holder.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE"))
    assert told(database) == [TABS]
    assert "StoreBusy" in failure(database)
    holder.close()


def test_a_receipt_does_not_wait_long_for_another_writer(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_HOOK_PACE", "1")
    writer = apsw.Connection(str(database))
    list(writer.execute("BEGIN IMMEDIATE"))
    with opened(database) as scopes:
        with pytest.raises(StoreBusy, match=r"for 0\.0 s"), scopes.project.writing():
            pass
        list(writer.execute("ROLLBACK"))
        with scopes.project.writing():
            scopes.project.receipts.record(a_receipt())
    writer.close()
    with opened(database) as scopes:
        assert scopes.project.receipts.recent(9) == [a_receipt()]


def test_the_log_of_a_crash_is_read_and_left(database: Path) -> None:
    """The last to close would otherwise move it into the file, which takes as long as there is log."""
    program = (
        f"import apsw, os; connection = apsw.Connection({str(database)!r});"
        "list(connection.execute('UPDATE memory SET reads = 5')); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    before = contents(database)
    assert before["-wal"]
    with opened(database) as scopes:
        assert [one.reads for one in scopes.project.memories.newest(Filters(), 9)] == [5]
    assert contents(database) == before


def test_what_is_written_stays_in_the_log_however_long_it_is(database: Path) -> None:
    """A commit that finds a thousand pages there would move them all."""
    size = database.stat().st_size
    with opened(database) as scopes:
        for name in ("first", "second"):
            with scopes.project.writing():
                scopes.project.upkeep.note(name, "x" * 3_000_000)
    assert os.path.getsize(f"{database}-wal") > 4_096 * 1_000
    assert database.stat().st_size == size


def test_opening_and_searching_imports_nothing_heavy(database: Path) -> None:
    """Neither the write path nor the configuration."""
    program = f"""
import sys
before = set(sys.modules)
from holdfast.storage.brief_stores import open_stores_for_brief
from holdfast.model.search import Query
from holdfast.recall.channels import Question
from holdfast.recall.ranking import Ranking
from holdfast.recall.search import search
scopes = open_stores_for_brief({str(database.parent.parent)!r}, {str(database)!r})
hits = search(Question(Query(text="prices", mode="keyword")), scopes.present, Ranking())
print(*sorted(set(sys.modules) - before))
print(*(hit.title for hit in hits))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    modules, titles = done.stdout.splitlines()
    loaded = set(modules.split())
    assert titles == CENTS
    assert loaded & (HEAVY | {"hashlib", "random"}) == set()
    heavy = (
        "compose.open",
        "capture.prepare",
        "settings.schema",
        "guard",
        "service.service",
        "upkeep",
        "ports",
        "embedding",
    )
    ours = [name.removeprefix("holdfast.") for name in loaded if name.startswith("holdfast.")]
    assert [name for name in ours if name.startswith(heavy)] == []
