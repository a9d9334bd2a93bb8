"""The schema: `schema.sql` equals all migrations applied, and migrations are numbered without gaps."""

import re
from pathlib import Path

import apsw

from holdfast.stores.sqlite import migrate
from holdfast.stores.sqlite.queries import load, read_sql
from holdfast.stores.sqlite.store import SqliteStore


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
    assert [number for number, _ in migrate.migrations()] == list(range(1, migrate.latest() + 1))


def test_every_query_prepares_against_the_schema(tmp_path: Path) -> None:
    """A query that names a missing column fails here, not at a user's."""
    store = SqliteStore.open(tmp_path / "memory.db", project="p", now=1)
    for name, sql in load().items():
        params = dict.fromkeys(re.findall(r":(\w+)", sql))
        assert list(store._database._connection.execute(f"EXPLAIN {sql}", params)), name
    store.close()
