"""Starting the process that makes the vectors that wait, where it could do anything. Light.

Must not live here: what that process does (`worker`). A command or a hook's worker starts it and does not wait:
loading the model takes longer than they do.
"""

import os
import time

from holdfast.agents import spool
from holdfast.machine import detached, failures

WORKER = "holdfast.compose.vector_worker"
STEP = "embed"
"""What a trace says was tried."""

_HOPELESS_FILE = "embedding.left"
"""How many rows waited in each store when a try ended without making any vector: `project 3`, `user 1`."""

_RETRY_SECONDS = 600.0
"""How long rows that could not be embedded are left alone, unless more have come."""


def start(root: str, backlog: "dict[str, int]") -> None:
    """Start it for a project in whose stores so many rows wait, of those that were looked at; never raises.

    Each store is compared with itself: what cannot be embedded in one holds up nothing in the other.
    """
    if not any(backlog.values()):
        return
    try:
        hopeless = _hopeless(spool.prepare(root))
        if any(rows > hopeless.get(store, 0) for store, rows in backlog.items()):
            detached.start(WORKER, root)
    except OSError as error:
        failures.leave(STEP, root, error)


def note_hopeless(folder: str, backlog: "dict[str, int]") -> None:
    """Note in a project's folder how many rows of each store could not be embedded."""
    with open(os.path.join(folder, _HOPELESS_FILE), "w", encoding="ascii") as file:
        file.writelines(f"{store} {rows}\n" for store, rows in backlog.items())


def note_success(folder: str) -> None:
    """Note that vectors can be made: what could not be embedded before is tried again."""
    try:
        os.unlink(os.path.join(folder, _HOPELESS_FILE))
    except FileNotFoundError:
        return  # nothing was noted


def _hopeless(folder: str) -> "dict[str, int]":
    """Return how many rows of each store could not be embedded a short while ago."""
    path = os.path.join(folder, _HOPELESS_FILE)
    try:
        if os.stat(path).st_mtime < time.time() - _RETRY_SECONDS:
            return {}
        with open(path, encoding="ascii") as file:
            return {store: int(rows) for store, rows in map(str.split, file)}
    except (OSError, ValueError):
        return {}
