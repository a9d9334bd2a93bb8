"""A machine of each system that this is not."""

from pathlib import Path

import pytest

from tests.platforms.fakes import SYSTEMS, FakeMachine


@pytest.fixture(params=SYSTEMS)
def machine(request: pytest.FixtureRequest, tmp_path: Path) -> FakeMachine:
    """One of each system."""
    return FakeMachine(request.param, tmp_path / "home")


@pytest.fixture
def windows(tmp_path: Path) -> FakeMachine:
    """One that runs Windows."""
    return FakeMachine("win32", tmp_path / "home")


@pytest.fixture
def mac(tmp_path: Path) -> FakeMachine:
    """One that runs macOS."""
    return FakeMachine("darwin", tmp_path / "home")
