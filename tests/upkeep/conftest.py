"""A service whose embedder obeys."""

from pathlib import Path

import pytest

from holdfast.service.service import Service
from tests.conftest import FakeClock
from tests.embedders import Topics
from tests.upkeep.services import opened


@pytest.fixture
def embedder() -> Topics:
    """An embedder that obeys."""
    return Topics()


@pytest.fixture
def service(project: Path, embedder: Topics, clock: FakeClock) -> Service:
    """A service with that embedder."""
    return opened(project, embedder, clock)
