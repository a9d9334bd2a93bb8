"""The server that the tests of PostgreSQL share: `HOLDFAST_PG_DSN` if it is set, else one that is started here."""

import os
from collections.abc import Iterator

import psycopg
import pytest

from holdfast.stores.postgres.connection import Address
from holdfast.stores.postgres.migrate import bring_up
from tests.postgres.server import running


@pytest.fixture(scope="session")
def dsn() -> Iterator[str]:
    """A database with the schema of this package."""
    given = os.environ.get("HOLDFAST_PG_DSN")
    if given:
        bring_up(Address(given))
        yield given
        return
    with running() as server:
        bring_up(Address(server.dsn))
        yield server.dsn


@pytest.fixture
def empty(dsn: str) -> str:
    """The same, with nothing in it."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        rows = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'holdfast'").fetchall()
        tables = ", ".join(f"holdfast.{name}" for (name,) in rows if name != "migration")
        connection.execute(f"TRUNCATE {tables}")
    return dsn
