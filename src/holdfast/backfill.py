"""Starting the process that makes the vectors that wait, where it could do anything. Light.

Must not live here: what that process does (`worker`). A command or a hook's worker starts it and does not wait:
loading the model takes longer than they do.
"""

import os
import time

from holdfast import detached, spool, trace

WORKER = "holdfast.worker"
STEP = "embed"
"""What a trace says was tried."""

_LEFT = "embedding.left"
"""How many rows waited when a try ended without making any vector."""

_RETRY_SECONDS = 600.0
"""How long rows that could not be embedded are left alone, unless more have come."""


def start(root: str, waiting: int) -> None:
    """Start it for a project in which so many rows wait; never raises."""
    if not waiting:
        return
    try:
        if waiting > _hopeless(spool.prepare(root)):
            detached.start(WORKER, root)
    except OSError as error:
        trace.leave(STEP, root, error)


def note_hopeless(folder: str, waiting: int) -> None:
    """Note in a project's folder that these rows could not be embedded."""
    with open(os.path.join(folder, _LEFT), "w", encoding="ascii") as file:
        file.write(str(waiting))


def _hopeless(folder: str) -> int:
    """Return how many rows could not be embedded a short while ago."""
    path = os.path.join(folder, _LEFT)
    try:
        if os.stat(path).st_mtime < time.time() - _RETRY_SECONDS:
            return 0
        with open(path, encoding="ascii") as file:
            return int(file.read())
    except (OSError, ValueError):
        return 0
