"""Stores of every schema that was ever made, as they lie on users' disks: today's version opens each, whole."""

import re
from pathlib import Path

import apsw
import pytest

from holdfast.capture.text.terms import terms_of
from holdfast.model.search import Filters
from holdfast.stores.sqlite import checkup, migrate
from holdfast.stores.sqlite.connection import Database
from holdfast.stores.sqlite.opening import schema_version
from holdfast.stores.sqlite.queries import latest_schema
from holdfast.stores.sqlite.sealed import damaged_rows
from holdfast.stores.sqlite.store import Care, SqliteStore

FROZEN = sorted((Path(__file__).parent / "frozen").glob("*.sql"))
SAYS = "The walrus of the API listens on port 9090"


def made(script: Path, path: Path) -> int:
    """Make the store that a script describes; return its version."""
    connection = apsw.Connection(str(path))
    for _ in connection.execute(f"PRAGMA auto_vacuum = INCREMENTAL; {script.read_text(encoding='utf-8')}"):
        pass
    connection.close()
    return int(re.findall(r"PRAGMA user_version = (\d+)", script.read_text(encoding="utf-8"))[-1])


def test_every_schema_is_frozen() -> None:
    """`python scripts/freeze_schema.py` does that when a migration is added."""
    assert [int(script.stem) for script in FROZEN] == [number for number, _ in migrate.migrations()]


@pytest.mark.parametrize("script", FROZEN, ids=lambda script: script.stem)
def test_a_store_of_any_schema_is_opened_by_today_s_version_with_all_it_holds(
    script: Path, tmp_path: Path
) -> None:
    path = tmp_path / "memory.db"
    version = made(script, path)
    copied: list[int] = []
    care = Care(before_migration=lambda found: copied.append(schema_version(found)))
    store = SqliteStore.open(path, project="p", now=1_800_000_000_000, care=care)
    assert copied == ([version] if version < latest_schema() else [])
    assert store.state().schema == latest_schema()
    older, newer = store.memories.walk(None, 9)
    assert (newer.content, newer.tags, newer.files) == (SAYS, ("api",), ("src/app.py",))
    assert (older.superseded_by, store.memories.history(newer.id)) == (newer.id, [older, newer])
    [session] = store.sessions.walk(None, 9)
    [turn] = store.turns.of(session.id)
    assert (session.ref, turn.text) == ("one", "Remember that the walrus sleeps")
    assert [one.id for one in store.memories.match(terms_of("walrus"), Filters(), 9).candidates] == [newer.id]
    assert [one.id for one in store.turns.match(terms_of("walrus"), Filters(), 9).candidates] == [turn.id]
    assert (store.tombstones.count(), store.audit.broken_at(), len(store.audit.events(9))) == (1, None, 1)
    assert len(store.conflicts.walk(None, 9)) == (version >= 3)
    assert [one.memory for one in store.findings.of(session.id, None, 9)] == [newer.id] * (version >= 4)
    assert store.aliases.all() == ({"db": ("database",)} if version >= 7 else {})
    assert store.left_out == []
    store.close()


@pytest.mark.parametrize("script", FROZEN, ids=lambda script: script.stem)
def test_a_store_that_was_brought_up_is_sound_and_sealed(script: Path, tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    made(script, path)
    SqliteStore.open(path, project="p", now=1_800_000_000_000).close()
    database = Database(str(path))
    assert damaged_rows(database) == []
    assert database.rows("SELECT count(*) FROM memory WHERE seal IS NULL") == [(0,)]
    assert [one for one in checkup.diagnose(database) if one.severity == "problem"] == []
    database.close()
