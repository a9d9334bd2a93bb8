"""The process that makes the vectors that wait in a project: one at a time, for ten minutes at most, then gone.

The heavy part is imported only once it is this one's turn.
"""

import os
import sys
import time

from holdfast.agents import spool
from holdfast.machine import detached, failures
from holdfast.model.type_hints import TYPE_CHECKING
from holdfast.service.vector_backlog import STEP, note_hopeless, note_success

if TYPE_CHECKING:
    from holdfast.service.service import Service

LOCK = "embedding.lock"
MOST_SECONDS = 600.0
_SLACK_SECONDS = 60.0
"""For the portion begun last, and for the files."""

_NICE = 10
"""Everybody goes first."""


def main() -> None:
    """Work off what waits in the project named on the command line; never fail, never stay."""
    root = sys.argv[1] if len(sys.argv) > 1 else ""
    late = TimeoutError(0, "making vectors took too long, and was ended")
    detached.end_after(MOST_SECONDS + _SLACK_SECONDS, lambda: _leave(root, late))
    try:
        detached.let_go(_NICE)
        work(root, time.monotonic() + MOST_SECONDS)
    except BaseException as error:
        _leave(root, error)
    os._exit(0)


def work(root: str, deadline: float) -> None:
    """Make vectors until nothing waits. Who finds another at work goes: that one sees to its part, too."""
    folder = spool.prepare(root)
    turn = spool.hold(folder, LOCK)
    if turn is None:
        return
    os.close(turn)
    import contextlib
    from pathlib import Path

    from holdfast.storage.open import open_service

    with contextlib.closing(open_service(Path(root), actor="worker", create=False, upkeep=False)) as service:
        while time.monotonic() < deadline and _worked_off(service, folder, deadline):
            pass


def _worked_off(service: "Service", folder: str, deadline: float) -> bool:
    """Make the vectors that wait now; say whether to look again.

    Somebody may have been turned away meanwhile. What they had written is seen by a look after the turn is let go.
    """
    backlog = service.vector_backlog.by_store()
    turn = spool.hold(folder, LOCK) if any(backlog.values()) else None
    if turn is None:
        return False
    try:
        vector_count = service.vector_backlog.work_off(lambda: time.monotonic() < deadline)
    finally:
        os.close(turn)
    if vector_count:
        note_success(folder)
    else:
        note_hopeless(folder, backlog)
    return vector_count > 0


def _leave(root: str, error: BaseException) -> None:
    failures.leave(STEP, root, error)


if __name__ == "__main__":
    main()
