"""A project whose settings name a server, as its user has it."""

import subprocess
from pathlib import Path

import pytest

from tests.interfaces.cli.shell import Shell


@pytest.fixture
def repository(project: Path) -> Path:
    """A git work tree with a remote, by which a team shares it."""
    subprocess.run(["git", "init", "-q", project], check=True)
    subprocess.run(["git", "-C", project, "remote", "add", "origin", "git@github.com:acme/app.git"], check=True)
    return project


@pytest.fixture
def shell(repository: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    """A shell in that project."""
    return Shell(repository, capsys)


@pytest.fixture
def hosted(empty_postgres: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The settings name a server and the tenant `acme`."""
    monkeypatch.setenv("HOLDFAST_STORE_URL", empty_postgres)
    monkeypatch.setenv("HOLDFAST_STORE_TENANT", "acme")
    return empty_postgres
