"""The whole contract in one class. What each part asks is in the module named after it."""

import pytest

from holdfast.ports import Store
from holdfast.testing.briefs import BriefsContract
from holdfast.testing.conflicts import ConflictsContract, ProposalsContract
from holdfast.testing.matching import FRUGAL_BUDGET, FilterContract, MatchingContract
from holdfast.testing.memories import MemoriesContract, ReplacingContract
from holdfast.testing.records import RecordsContract
from holdfast.testing.sessions import FindingsContract, SessionsContract
from holdfast.testing.transactions import ConcurrencyContract, TransactionsContract
from holdfast.testing.turns import SpooledContract, TurnsContract
from holdfast.testing.upkeep import UpkeepContract
from holdfast.testing.vectors import VectorsContract
from holdfast.testing.walking import WalkingContract

__all__ = ["FRUGAL_BUDGET", "StoreContract"]


class StoreContract(
    MemoriesContract,
    ReplacingContract,
    FilterContract,
    MatchingContract,
    SessionsContract,
    TurnsContract,
    FindingsContract,
    ConflictsContract,
    ProposalsContract,
    SpooledContract,
    WalkingContract,
    VectorsContract,
    RecordsContract,
    BriefsContract,
    UpkeepContract,
    TransactionsContract,
    ConcurrencyContract,
):
    """Everything a store must do. Subclass it, give the two fixtures, and inherit it whole."""

    @pytest.fixture
    def store(self) -> Store:
        """An empty store."""
        raise NotImplementedError("give a `store` fixture that returns an empty store")

    @pytest.fixture
    def frugal_store(self) -> Store:
        """An empty store whose postings budget is FRUGAL_BUDGET."""
        raise NotImplementedError("give a `frugal_store` fixture: an empty store with a small postings budget")
