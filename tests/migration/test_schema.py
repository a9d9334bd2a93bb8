"""The schema: one file makes it, steps are numbered without gaps, and every query fits it."""

import re
from pathlib import Path

from holdfast.stores.sqlite import migrate
from holdfast.stores.sqlite.connection import SCHEMA_VERSION, load
from holdfast.stores.sqlite.store import SqliteStore


def test_the_steps_lead_from_version_one_to_today_s_without_gaps() -> None:
    assert [number for number, _ in migrate.migrations()] == list(range(2, SCHEMA_VERSION + 1))


def test_every_query_prepares_against_the_schema(tmp_path: Path) -> None:
    """A query that names a missing column fails here, not at a user's."""
    store = SqliteStore.open(tmp_path / "memory.db", project="p", now=1)
    for name, sql in load().items():
        params = dict.fromkeys(re.findall(r":(\w+)", sql))
        assert list(store._database._connection.execute(f"EXPLAIN {sql}", params)), name
    store.close()
