"""Noticing that files change: told by the system, or, where that cannot be had, by looking again and again.

Both hand out paths relative to the root, and an empty set every moment in which nothing happened, so that whoever
listens can do what has become due.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

TICK_MS = 100
POLL_MS = 2_000

Changes = Iterator[set[str]]


class Stop(Protocol):
    """Says when to stop; `threading.Event` is one."""

    def is_set(self) -> bool: ...
    def wait(self, timeout: float | None = None) -> bool: ...


def notified_changes(root: Path, stop: Stop) -> Changes:
    """Hand out what the system tells of; raises when it cannot watch so many folders, or at all."""
    from watchfiles import watch  # heavy, and only who watches needs it

    real = os.path.realpath(root)
    change_batches = watch(
        real,
        watch_filter=None,
        debounce=TICK_MS,
        step=TICK_MS // 2,
        stop_event=stop,
        rust_timeout=TICK_MS,
        yield_on_timeout=True,
        raise_interrupt=True,
        force_polling=False,
        ignore_permission_denied=True,
    )
    for changes in change_batches:
        yield {Path(os.path.relpath(path, real)).as_posix() for _, path in changes}


def polled_changes(root: Path, stop: Stop, files: Callable[[], list[str]], every_ms: int = POLL_MS) -> Changes:
    """Hand out the files whose date or size has changed since the last look."""
    before = _looks(root, files())
    while not stop.wait(every_ms / 1000):
        now = _looks(root, files())
        yield {file for file in before.keys() | now.keys() if before.get(file) != now.get(file)}
        before = now
        yield set()


def _looks(root: Path, files: list[str]) -> dict[str, tuple[int, int, int]]:
    looks = {}
    for file in files:
        try:
            file_status = (root / file).stat()
        except OSError:
            continue
        looks[file] = (file_status.st_mtime_ns, file_status.st_size, file_status.st_ino)
    return looks
