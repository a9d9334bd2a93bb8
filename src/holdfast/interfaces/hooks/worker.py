"""The process that drains a project's spool: one at a time, for at most a minute, and then it is gone.

A hook starts it and does not wait. The heavy part is imported only once it is this one's turn.
At its end it removes what hooks left behind: marks of sessions long silent, and compiled settings nobody reads.
"""

import os
import sys
import time

from holdfast.agents import spool
from holdfast.interfaces.hooks import place
from holdfast.machine import detached, environment, failures, paths

MOST_SECONDS = 60.0
_PAUSE_SECONDS = 0.5
_NICE = 5
"""The agent goes first."""

MARKS_SECONDS = 7 * 86_400
SETTINGS_SECONDS = 30 * 86_400
_KEPT_SUFFIXES = (".open", ".sealed", ".lock", ".jsonl", "root", ".shown")


def main() -> None:
    """Drain the spool of the project named on the command line; never fail, never stay."""
    root = sys.argv[1] if len(sys.argv) > 1 else ""
    most = MOST_SECONDS * environment.known_pace()
    detached.end_after(most, lambda: failures.leave("drain", root, "gave up", ms=int(most * 1000)))
    try:
        detached.let_go(_NICE)
        work(root, time.monotonic() + most)
    except BaseException as error:
        failures.leave("drain", root, error)
    os._exit(0)


def work(root: str, deadline: float) -> None:
    """Wait for one's turn, then drain until nothing waits; a store that is busy is tried again."""
    folder = spool.folder_of(root)
    if not os.path.isdir(folder):
        return
    queue_lock = spool.hold(folder, spool.NEXT)
    if queue_lock is None:
        return  # whoever waits there will see what this one was started for
    draining = spool.hold(folder, spool.DRAINING, deadline - time.monotonic())
    os.close(queue_lock)
    if draining is None:
        return
    try:
        _drain(root, deadline)
        sweep(folder)
    finally:
        os.close(draining)


def _drain(root: str, deadline: float) -> None:
    from holdfast.errors import StoreBusy
    from holdfast.storage.drain import drain

    def on_refusal(label: str, error: BaseException) -> None:
        failures.leave("drain", root, error, entry=label)

    while True:
        try:
            if not drain(root, on_refusal):
                return
        except StoreBusy:
            if time.monotonic() + _PAUSE_SECONDS > deadline:
                raise
            time.sleep(_PAUSE_SECONDS)


def sweep(folder: str) -> None:
    """Remove old marks from a spool's folder, and old compiled settings."""
    _remove_older(folder, MARKS_SECONDS, _KEPT_SUFFIXES)
    _remove_older(os.path.join(paths.data_directory(), place.SETTINGS_FOLDER), SETTINGS_SECONDS, ())


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


if __name__ == "__main__":
    main()
