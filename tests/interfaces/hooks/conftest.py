"""A project that hooks may remember: a git work tree."""

import subprocess
from pathlib import Path

import pytest


@pytest.fixture
def repository(project: Path) -> Path:
    """A git work tree without a store."""
    subprocess.run(["git", "init", "-q", project], check=True)
    return project
