"""A service whose embedder obeys, and a bare store."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.ports import Store
from holdfast.service.service import Service
from holdfast.stores.sqlite.store import SqliteStore
from holdfast.testing import NOW
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


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store; its memories fade when they say so."""
    sqlite = SqliteStore.open(tmp_path / "bare" / "memory.db", project="upkeep", now=NOW)
    yield sqlite
    sqlite.close()
