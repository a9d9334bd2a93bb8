"""The whole contract in one class. What each part asks is in the module named after it."""

import pytest

from holdfast.ports import Store
from tests.contract.briefs import BriefsContract
from tests.contract.conflicts import ConflictsContract, ProposalsContract
from tests.contract.matching import FRUGAL_BUDGET, FilterContract, MatchingContract
from tests.contract.memories import MemoriesContract, ReplacingContract
from tests.contract.records import RecordsContract
from tests.contract.sessions import FindingsContract, SessionsContract
from tests.contract.threads import ThreadsContract
from tests.contract.transactions import ConcurrencyContract, TransactionsContract
from tests.contract.turns import SpooledContract, TurnsContract
from tests.contract.upkeep import UpkeepContract
from tests.contract.vectors import VectorsContract
from tests.contract.walking import WalkingContract

__all__ = ["FRUGAL_BUDGET", "StoreContract"]


class StoreContract(
    MemoriesContract,
    ReplacingContract,
    FilterContract,
    MatchingContract,
    SessionsContract,
    TurnsContract,
    FindingsContract,
    ThreadsContract,
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
