"""For those who write a store: the suite it must pass, and values to fill it with.

    from holdfast.testing import StoreContract

    class TestMyStore(StoreContract):
        @pytest.fixture
        def store(self, tmp_path): ...

        @pytest.fixture
        def frugal_store(self, tmp_path): ...   # the same, with a postings budget of FRUGAL_BUDGET

Needs pytest. Nothing else in holdfast imports this package.
"""

from pkgutil import iter_modules

import pytest

pytest.register_assert_rewrite(*(f"{__name__}.{module.name}" for module in iter_modules(__path__)))

from holdfast.testing.builders import NOW, PROJECT, a_finding, a_memory, a_session, a_turn, keep, keep_turns  # noqa: E402 - after the rewrite
from holdfast.testing.contract import FRUGAL_BUDGET, StoreContract  # noqa: E402 - the same

__all__ = [
    "FRUGAL_BUDGET",
    "NOW",
    "PROJECT",
    "StoreContract",
    "a_finding",
    "a_memory",
    "a_session",
    "a_turn",
    "keep",
    "keep_turns",
]
