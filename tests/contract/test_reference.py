"""The reference store keeps the contract."""

import pytest

from holdfast.stores.reference.store import ReferenceStore
from tests.contract.suite import FRUGAL_BUDGET, StoreContract


class TestReferenceStore(StoreContract):
    """Inherited whole."""

    @pytest.fixture
    def store(self) -> ReferenceStore:
        return ReferenceStore("contract")

    @pytest.fixture
    def frugal_store(self) -> ReferenceStore:
        return ReferenceStore("contract", postings_budget=FRUGAL_BUDGET)
