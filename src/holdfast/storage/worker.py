"""The background process of a project: drain the spool, let the extractor read sessions, embed, do upkeep.

Hooks and commands start it and do not wait. One works at a time: another one leaves a mark and goes, and the one
at work begins again with the spool when it sees the mark. A step that fails leaves a trace and ends the round; one
that takes too long ends the process. Each step imports what it needs when it begins.
"""

import _thread
import contextlib
import os
import sys
import time
from typing import TYPE_CHECKING

from holdfast.agents import spool
from holdfast.machine import environment, failures, paths
from holdfast.machine.disk import open_handle
from holdfast.settings import SETTINGS_FOLDER

if TYPE_CHECKING:
    from holdfast.service.service import Service

LOCK, AGAIN = "worker.lock", "worker.again"
"""The lock of the one at work, and the mark by which others ask it to begin again."""

DRAIN_SECONDS = 60.0
LONG_SECONDS = 600.0
"""How long draining, and each of the other steps, may take."""

_SLACK_SECONDS = 60.0
"""For what a step began last."""

_PAUSE_SECONDS = 0.5
_NICE = 10
"""Everything else on the machine goes first."""

MARKS_SECONDS = 7 * 86_400
SETTINGS_SECONDS = 30 * 86_400
_KEPT_SUFFIXES = (".open", ".sealed", ".lock", ".jsonl", "root", ".shown")

_current_step: list[object] = [None]


def main() -> None:
    """Do what there is to do in the project named on the command line; never fail, never stay."""
    root = sys.argv[1] if len(sys.argv) > 1 else ""
    try:
        _let_go()
        work(root)
    except BaseException as error:
        failures.leave("worker", root, error)
    os._exit(0)


def work(root: str) -> None:
    """Do every step, and again as long as others ask for it; return at once where another process is at work."""
    folder = spool.prepare(root)
    mark = os.path.join(folder, AGAIN)
    os.close(open_handle(mark, os.O_WRONLY | os.O_CREAT))  # first: the one at work looks for it when it let go
    while os.path.exists(mark):
        lock = spool.hold(folder, LOCK)
        if lock is None:
            return
        try:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(mark)
            _do_steps(root, folder)
        finally:
            os.close(lock)


def _do_steps(root: str, folder: str) -> None:
    pace = environment.known_pace()
    for name, seconds, step in (
        ("drain", DRAIN_SECONDS * pace, drain_spool),
        ("extract", LONG_SECONDS, extract),
        ("embed", LONG_SECONDS, embed),
    ):
        deadline = time.monotonic() + seconds
        _end_after(seconds + (0 if step is drain_spool else _SLACK_SECONDS), name, root)
        try:
            step(root, deadline)
        except Exception as error:  # what stands in the way of one step does so in that of the next
            failures.leave(name, root, error)
            break
    _current_step[0] = None
    sweep(folder)


def drain_spool(root: str, deadline: float) -> None:
    """Wait for a command that drains, then drain until nothing waits; a store that is busy is tried again."""
    from holdfast.errors import StoreBusy
    from holdfast.storage.drain import drain
    from holdfast.storage.open import WORKER_SPOOL

    def on_refusal(label: str, error: BaseException) -> None:
        failures.leave("drain", root, error, entry=label)

    draining = spool.hold(spool.prepare(root), spool.DRAINING, deadline - time.monotonic())
    if draining is None:
        return
    try:
        while True:
            try:
                if not drain(root, on_refusal, WORKER_SPOOL):
                    return
            except StoreBusy:
                if time.monotonic() + _PAUSE_SECONDS > deadline:
                    raise
                time.sleep(_PAUSE_SECONDS)
    finally:
        os.close(draining)


def extract(root: str, deadline: float) -> int:
    """Let the user's extractor read the sessions that are over; return how many memories came of it."""
    from pathlib import Path

    from holdfast.storage.open import open_extracting

    with open_extracting(Path(root)) as (extracting, calls):
        return extracting.work_off(calls, root, lambda: time.monotonic() < deadline) if extracting else 0


def embed(root: str, deadline: float) -> None:
    """Make the vectors that wait, until others ask to begin again; then do a slice of upkeep if it is due."""
    from pathlib import Path

    from holdfast.storage.open import WORKER, open_service

    with contextlib.closing(open_service(Path(root), WORKER)) as service:
        service.refresh_rules(always=True)  # others may have changed them: a colleague on a server, a restore
        _make_vectors(service, spool.prepare(root), deadline)
        service.upkeep.when_due()


def _make_vectors(service: "Service", folder: str, deadline: float) -> None:
    from holdfast.service.upkeep import is_hopeless, note_hopeless, note_success

    mark = os.path.join(folder, AGAIN)

    def goes_on() -> bool:
        return time.monotonic() < deadline and not os.path.exists(mark)

    while goes_on():
        backlog = service.vector_backlog.by_store()
        if is_hopeless(folder, backlog):
            return
        if service.vector_backlog.work_off(goes_on):
            note_success(folder)
        elif goes_on():
            note_hopeless(folder, backlog)


def sweep(folder: str) -> None:
    """Remove old marks from a spool's folder, and old compiled settings."""
    _remove_older(folder, MARKS_SECONDS, _KEPT_SUFFIXES)
    _remove_older(os.path.join(paths.data_directory(), SETTINGS_FOLDER), SETTINGS_SECONDS, ())


def _remove_older(folder: str, seconds: float, kept_suffixes: tuple[str, ...]) -> None:
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


def _let_go() -> None:
    """Let go of what would tie this process to the one that started it or to a directory."""
    os.chdir(os.path.abspath(os.sep))
    if sys.platform != "win32":
        if os.getpgrp() != os.getpid():
            os.setsid()
        os.nice(_NICE)


def _end_after(seconds: float, step: str, root: str) -> None:
    """End this process when a step has taken so long, whatever it does then."""
    current = _current_step[0] = object()

    def wait() -> None:
        time.sleep(seconds)
        if _current_step[0] is current:
            failures.leave(step, root, TimeoutError(0, "took too long, and was ended"), ms=int(seconds * 1000))
            os._exit(0)

    _thread.start_new_thread(wait, ())


if __name__ == "__main__":
    main()
