"""Removing everything that is remembered: this project's store, and the user's data directory."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from holdfast import places


def everything(root: Path) -> list[Path]:
    """Return the directories that hold memory and are there."""
    found = (root / places.PROJECT_HOME, Path(places.data_directory()))
    return [path for path in found if path.is_dir() and not path.is_symlink()]


def purge(directories: Sequence[Path]) -> None:
    """Remove directories with all that is in them."""
    for directory in directories:
        shutil.rmtree(directory)
