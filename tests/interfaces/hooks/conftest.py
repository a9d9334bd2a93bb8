"""A project that hooks may remember: a git work tree."""

import subprocess
from pathlib import Path

import pytest


def init_git(folder: Path) -> None:
    """Make a git work tree of a folder."""
    subprocess.run(["git", "init", "-q", folder], check=True)


@pytest.fixture
def repository(project: Path) -> Path:
    """A git work tree without a store."""
    init_git(project)
    return project
