"""A project memory that is searched by words alone, with a clock that obeys."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.storage.open import open_service
from tests.conftest import FakeClock


@pytest.fixture
def memory(project: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> Iterator[Holdfast]:
    """An empty project memory."""
    monkeypatch.setenv("HOLDFAST_EMBEDDING_MODEL", "none")
    opened = Holdfast(open_service(project, actor="python", clock=clock))
    yield opened
    opened.close()
