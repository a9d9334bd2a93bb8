"""The contract on a Citus cluster, where `HOLDFAST_CITUS_DSN` names the coordinator."""

import os
from collections.abc import Iterator

import psycopg
import pytest

from holdfast.stores.postgres.migrate import bring_up
from holdfast.stores.postgres.server import Address
from holdfast.stores.postgres.store import PostgresStore
from tests.contract.builders import NOW
from tests.contract.suite import FRUGAL_BUDGET, StoreContract
from tests.postgres.server import clear

DSN = os.environ.get("HOLDFAST_CITUS_DSN", "")
if not DSN:
    pytest.skip("HOLDFAST_CITUS_DSN names no cluster", allow_module_level=True)


@pytest.fixture(scope="module")
def cluster() -> str:
    """A cluster with our schema, spread over its workers."""
    with psycopg.connect(DSN, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS citus")
    bring_up(Address(DSN))
    return DSN


def test_every_table_is_spread_by_tenant(cluster: str) -> None:
    with psycopg.connect(cluster) as connection:
        rows = connection.execute(
            "SELECT c.relname FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid "
            "WHERE c.relnamespace = 'holdfast'::regnamespace"
        ).fetchall()
        tables = connection.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'holdfast' AND tablename <> 'migration'"
        ).fetchall()
    assert sorted(rows) == sorted(tables)


class TestOnACluster(StoreContract):
    """Inherited whole."""

    @pytest.fixture
    def store(self, cluster: str) -> Iterator[PostgresStore]:
        clear(cluster)
        store = PostgresStore.open(cluster, tenant="local", project="contract", now=NOW)
        yield store
        store.close()

    @pytest.fixture
    def frugal_store(self, cluster: str) -> Iterator[PostgresStore]:
        clear(cluster)
        store = PostgresStore.open(
            cluster, tenant="frugal", project="contract", now=NOW, postings_budget=FRUGAL_BUDGET
        )
        yield store
        store.close()
