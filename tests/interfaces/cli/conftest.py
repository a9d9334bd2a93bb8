"""A shell for every test of the command line."""

from pathlib import Path

import pytest

from tests.interfaces.cli.shell import Shell


@pytest.fixture
def shell(project: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(project, capsys)
