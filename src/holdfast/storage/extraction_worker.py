"""The process that lets the user's extractor read sessions that are over: one at a time, then gone.

Started when a session ended, only where an extractor is set; nobody waits for it. The heavy part is imported only
once it is this one's turn.
"""

import os
import sys
import time

from holdfast.agents import spool
from holdfast.machine import detached, failures

LOCK = "extracting.lock"
STEP = "extract"
MOST_SECONDS = 600.0
_NICE = 10
"""Everybody goes first."""


def main() -> None:
    """Read what is due in the project named on the command line; never fail, never stay."""
    root = sys.argv[1] if len(sys.argv) > 1 else ""
    late = TimeoutError(0, "reading sessions took too long, and was ended")
    detached.end_after(MOST_SECONDS, lambda: failures.leave(STEP, root, late))
    try:
        detached.let_go(_NICE)
        work(root, time.monotonic() + MOST_SECONDS)
    except BaseException as error:
        failures.leave(STEP, root, error)
    os._exit(0)


def work(root: str, deadline: float) -> int:
    """Read what is due; return how many memories came of it. Who finds another at work goes."""
    turn = spool.hold(spool.prepare(root), LOCK)
    if turn is None:
        return 0
    try:
        from pathlib import Path

        from holdfast.storage.open import open_extracting

        with open_extracting(Path(root)) as (extracting, calls):
            return extracting.work_off(calls, root, lambda: time.monotonic() < deadline) if extracting else 0
    finally:
        os.close(turn)


if __name__ == "__main__":
    main()
