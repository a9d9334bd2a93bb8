"""A shell for every test of the command line."""

from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from tests.interfaces.cli.shell import Shell

FreshShell = Callable[[], Shell]


@pytest.fixture
def shell(project: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(project, capsys)


@pytest.fixture
def fresh_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> FreshShell:
    """A shell in a new project with a new home at each call, for rows of a table that change what they find."""
    numbers = count()

    def make() -> Shell:
        home = tmp_path / f"home-{next(numbers)}"
        for variable, folder in (("HOLDFAST_DATA_HOME", "data"), ("HOLDFAST_CONFIG_HOME", "config")):
            monkeypatch.setenv(variable, str(home / folder))
        (home / "project").mkdir(parents=True)
        return Shell(home / "project", capsys)

    return make
