"""The embedded store keeps the contract."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.stores.sqlite.store import SqliteStore
from tests.contract.builders import NOW
from tests.contract.suite import FRUGAL_BUDGET, StoreContract


class TestSqliteStore(StoreContract):
    """Inherited whole."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[SqliteStore]:
        store = SqliteStore.open(tmp_path / "store" / "memory.db", project="contract", now=NOW)
        yield store
        store.close()

    @pytest.fixture
    def frugal_store(self, tmp_path: Path) -> Iterator[SqliteStore]:
        path = tmp_path / "frugal" / "memory.db"
        store = SqliteStore.open(path, project="contract", now=NOW, postings_budget=FRUGAL_BUDGET)
        yield store
        store.close()
