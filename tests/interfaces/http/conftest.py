"""A server on an empty project, for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.interfaces.http.served import Asking, served_here


@pytest.fixture
def ask(project: Path) -> Iterator[Asking]:
    """A client of a server."""
    with served_here(project) as asking:
        yield asking
