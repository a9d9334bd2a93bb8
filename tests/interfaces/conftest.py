"""A memory as a Python program has it, with a clock that obeys."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.storage.open import open_service
from tests.conftest import FakeClock


@pytest.fixture
def memory(project: Path, clock: FakeClock) -> Iterator[Holdfast]:
    """An empty project memory."""
    opened = Holdfast(open_service(project, actor="python", clock=clock))
    yield opened
    opened.close()
