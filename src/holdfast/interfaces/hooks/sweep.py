"""Removing what hooks left behind: marks of sessions long silent, and compiled settings nobody reads. Light."""

import os
import time

from holdfast.interfaces.hooks import settings
from holdfast.machine import paths

MARKS_SECONDS = 7 * 86_400
SETTINGS_SECONDS = 30 * 86_400
_KEPT_SUFFIXES = (".open", ".sealed", ".lock", ".jsonl", "root")


def sweep(folder: str) -> None:
    """Remove old marks from a spool's folder, and old compiled settings."""
    _remove_older(folder, MARKS_SECONDS, _KEPT_SUFFIXES)
    _remove_older(os.path.join(paths.data_directory(), settings.FOLDER), SETTINGS_SECONDS, ())


def _remove_older(folder: str, seconds: float, kept_suffixes: "tuple[str, ...]") -> None:
    limit = time.time() - seconds
    try:
        names = [name for name in os.listdir(folder) if not name.endswith(kept_suffixes)]
    except OSError:
        return
    for name in names:
        path = os.path.join(folder, name)
        try:
            if os.lstat(path).st_mtime < limit:
                os.unlink(path)
        except OSError:
            continue
