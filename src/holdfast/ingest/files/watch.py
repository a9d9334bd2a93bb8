"""Watching the project's Markdown files, and reading each that changed once it is left alone."""

import time
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from holdfast.errors import GitFailed, StoreBusy, SwitchedOff
from holdfast.ingest.files.changes import Changes, Stop, notified_changes, polled_changes
from holdfast.ingest.files.index import Index
from holdfast.ingest.files.quiet import Quiet
from holdfast.model.ingest import Indexed

IGNORE = ".gitignore"

OnIndexed = Callable[[Indexed], None]


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
