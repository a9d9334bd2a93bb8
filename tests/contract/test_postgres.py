"""The store on PostgreSQL keeps the contract."""

from collections.abc import Iterator

import pytest

from holdfast.stores.postgres.store import PostgresStore
from tests.contract.builders import NOW
from tests.contract.suite import FRUGAL_BUDGET, StoreContract


class TestPostgresStore(StoreContract):
    """Inherited whole."""

    @pytest.fixture
    def store(self, empty_postgres: str) -> Iterator[PostgresStore]:
        store = PostgresStore.open(empty_postgres, tenant="local", project="contract", now=NOW)
        yield store
        store.close()

    @pytest.fixture
    def frugal_store(self, empty_postgres: str) -> Iterator[PostgresStore]:
        store = PostgresStore.open(
            empty_postgres, tenant="frugal", project="contract", now=NOW, postings_budget=FRUGAL_BUDGET
        )
        yield store
        store.close()
