"""Watching the project's Markdown files, for a command or in the background of a long-lived process.

Changes are told by the system or, where that cannot be had, found by looking again and again. Both hand out paths
relative to the root, and an empty set every moment in which nothing happened, so that whoever listens can do what
has become due. A file is read once it is left alone: an editor saves in bursts, and only the last state counts.
"""

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Protocol

from holdfast.errors import GitFailed, HoldfastError, StoreBusy, SwitchedOff
from holdfast.ingest.files import Index
from holdfast.model.ingest import Indexed

IGNORE = ".gitignore"

OnIndexed = Callable[[Indexed], None]
TICK_MS = 100
"""How often the system is asked what it noticed: the time in which a save is one change."""

POLL_MS = 2_000
"""How often files are looked at where the system tells of nothing."""

Changes = Iterator[set[str]]

QUIET_MS = 500
"""How long a file is left alone before it is read: an editor's save is several changes within moments."""

MOST_MS = 10_000
"""A file that is never left alone is read at least this often."""

OpenIndex = Callable[[], "contextlib.AbstractContextManager[Index]"]
PATIENCE_S = 5.0
"""How long stopping waits for a file that is being read."""


class Stop(Protocol):
    """Says when to stop; `threading.Event` is one."""

    def is_set(self) -> bool: ...
    def wait(self, timeout: float | None = None) -> bool: ...


class Watch:
    """One project being watched."""

    def __init__(self, index: Index, stop: Stop, report: OnIndexed, now: Callable[[], int] | None = None) -> None:
        self._index = index
        self._root: Path = index.listing.root
        self._stop = stop
        self._on_indexed = report
        self._now = now or _monotonic_ms
        self._quiet = Quiet()
        self._known_files: set[str] = set()

    def run(self, *, poll: bool = False) -> str | None:
        """Read everything, then what changes, until told to stop; return why it had to look for itself, if so."""
        reason = "asked to" if poll else None
        if not poll:
            try:
                self.follow(notified_changes(self._root, self._stop))
            except (ImportError, OSError, RuntimeError) as error:  # too many folders, or no such thing here
                reason = str(error)
        if reason and not self._stop.is_set():
            self.follow(polled_changes(self._root, self._stop, self._index.listing.all))
        return reason

    def follow(self, changes: Changes) -> None:
        """Read everything when the first moment has passed, so that no change falls between; then what changes."""
        has_begun = False
        for paths in changes:
            now = self._now()
            for path in paths:
                if self._matters(path):
                    self._quiet.touch(path, now)
            due = self._quiet.due(now)
            if due or not has_begun:
                has_begun = self._read_files(due, whole=not has_begun)
            if self._stop.is_set():
                return

    def _read_files(self, due: list[str], *, whole: bool) -> bool:
        """Read files, and say whether that was possible; what could not be written is tried again."""
        whole = whole or any(not self._index.listing.counts(path) for path in due)
        try:
            outcome = self._index.scan() if whole else self._index.refresh(due)
            self._known_files = self._index.known()
        except (StoreBusy, SwitchedOff, GitFailed):
            for path in due:
                self._quiet.touch(path, self._now())
            return False
        if outcome.read:
            self._on_indexed(outcome)
        return True

    def _matters(self, path: str) -> bool:
        """Say whether a change may concern a document: one itself, a folder of some, or what git ignores."""
        if self._index.listing.counts(path):
            return True
        below = f"{path}/"
        return (
            PurePosixPath(path).name == IGNORE
            or any(file.startswith(below) for file in self._known_files)
            or (self._index.listing.counts(f"{below}x.md") and (self._root / path).is_dir())
        )


def _monotonic_ms() -> int:
    return time.monotonic_ns() // 1_000_000


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


class Quiet:
    """Paths that changed, each until nothing has happened to it for a while."""

    def __init__(self, quiet_ms: int = QUIET_MS, most_ms: int = MOST_MS) -> None:
        self._quiet_ms = quiet_ms
        self._most_ms = most_ms
        self._touch_times: dict[str, tuple[int, int]] = {}
        """When each was first and last touched."""

    def touch(self, path: str, now: int) -> None:
        """Note that something happened to a path."""
        first, _ = self._touch_times.get(path, (now, now))
        self._touch_times[path] = (first, now)

    def due(self, now: int) -> list[str]:
        """Return, and let go of, what has been quiet long enough, or busy for too long."""
        ready = [
            path
            for path, (first, last) in self._touch_times.items()
            if now - last >= self._quiet_ms or now - first >= self._most_ms
        ]
        for path in ready:
            del self._touch_times[path]
        return ready


class AutoIndex:
    """A thread that watches a project with a connection of its own."""

    def __init__(
        self,
        open_index: OpenIndex,
        on_indexed: OnIndexed = lambda outcome: None,
        on_failure: Callable[[Exception], object] = lambda error: None,
    ) -> None:
        self._open_index = open_index
        self._on_indexed = on_indexed
        self._on_failure = on_failure
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="holdfast-index", daemon=True)

    def start(self) -> None:
        """Begin watching."""
        self._thread.start()

    def stop(self) -> None:
        """End watching, after the file that is being read."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(PATIENCE_S)

    def _run(self) -> None:
        try:
            with self._open_index() as index:
                Watch(index, self._stop, self._on_indexed).run()
        except (HoldfastError, OSError) as error:  # the server goes on without it
            self._on_failure(error)
