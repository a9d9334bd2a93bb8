"""A tab of a server on an empty project, for each test."""

import pytest

from tests.interfaces.http.served import Asking
from tests.interfaces.http.viewer.signed_in import Tab


@pytest.fixture
def tab(ask: Asking) -> Tab:
    """Somebody who signed in and may do everything."""
    return Tab(ask)
