"""The schema: `schema.sql` equals all migrations applied, and migrations are numbered without gaps."""

import re
from pathlib import Path

import apsw

from holdfast.capture.text.terms import terms_of
from holdfast.model.search import Filters
from holdfast.stores.sqlite import migrate
from holdfast.stores.sqlite.connection import APPLICATION_ID
from holdfast.stores.sqlite.queries import latest_schema, load, read_sql
from holdfast.stores.sqlite.rows import row_of
from holdfast.stores.sqlite.store import SqliteStore
from tests.contract.builders import a_memory, a_session

LATER = ("seal", "fades", "kind_confidence", "private_depth", "read_to", "turns_read", "forked_at", "heard_at")
"""Columns that later schemas brought."""


def objects(sql: str) -> list[tuple[str, str, str]]:
    """Return what a script makes: (type, name, SQL without comments and layout)."""
    connection = apsw.Connection(":memory:")
    for _ in connection.execute(sql):
        pass
    rows = connection.execute(
        "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name"
    )
    return [(str(kind), str(name), bare(str(text))) for kind, name, text in rows]


def bare(sql: str) -> str:
    """Return SQL without comments and layout: a column added later stands on the same line as its comma."""
    words = " ".join(re.sub(r"--[^\n]*", "", sql).split())
    return re.sub(r" ?([(),]) ?", r"\1", words)


def test_the_schema_equals_all_migrations_applied() -> None:
    applied = "\n".join(sql for _, sql in migrate.migrations())
    assert objects(read_sql("schema.sql")) == objects(applied)


def test_migrations_are_numbered_from_one_without_gaps() -> None:
    assert [number for number, _ in migrate.migrations()] == list(range(1, latest_schema() + 1))


def test_every_query_prepares_against_the_schema(tmp_path: Path) -> None:
    """A query that names a missing column fails here, not at a user's."""
    store = SqliteStore.open(tmp_path / "memory.db", project="p", now=1)
    for name, sql in load().items():
        params = dict.fromkeys(re.findall(r":(\w+)", sql))
        assert list(store._database._connection.execute(f"EXPLAIN {sql}", params)), name
    store.close()


def test_a_store_of_the_first_schema_is_brought_up_with_what_it_holds(tmp_path: Path) -> None:
    """Rows of schema 1 get the columns that came later, and are found as before."""
    path = tmp_path / "memory.db"
    connection = apsw.Connection(str(path))
    first = migrate.migrations()[0][1]
    for _ in connection.execute(f"PRAGMA application_id = {APPLICATION_ID}; {first}; PRAGMA user_version = 1;"):
        pass
    facts = {"store_id": "s", "epoch": "e", "project": "p", "created_at": 1, "tombstone_key": b"k"}
    connection.executemany("INSERT INTO meta (key, value) VALUES (?, ?)", facts.items())
    memory, session = a_memory(content="the walrus sleeps"), a_session()
    for table, row in (("memory", row_of(memory)), ("session", row_of(session))):
        old = {name: value for name, value in row.items() if name not in LATER}
        columns = ", ".join(f'"{name}"' for name in old)
        connection.execute(
            f"INSERT INTO {table} ({columns}) VALUES ({', '.join('?' * len(old))})", list(old.values())
        )
    connection.close()
    store = SqliteStore.open(path, project="p", now=1)
    assert store.state().schema == latest_schema()
    assert store.memories.walk(None, 9) == [memory]
    assert store.sessions.get(session.id) == session
    assert [one.id for one in store.memories.match(terms_of("walrus"), Filters(), 9).candidates] == [memory.id]
    assert store.conflicts.unresolved(1) == []
    assert store.memories.akin(memory.project, ["walrus"], 1, 9) == [[memory]]
    store.close()
