"""How a file was before holdfast changed it: a copy, kept in the user's data directory until it is uninstalled."""

import base64
import contextlib
import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

from holdfast.machine import durable, paths
from holdfast.machine.paths import key_of


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One file: what was in it (None: it was not there), what we left in it, and the folders made for it."""

    path: str
    before: bytes | None
    after: str
    folders: tuple[str, ...] = ()

    def untouched(self, now: bytes | None) -> bool:
        """Say whether a file is as we left it."""
        return now is not None and digest(now) == self.after


def folder() -> Path:
    """Return where the copies are."""
    return Path(paths.data_directory()) / "installed"


def find(path: Path) -> FileEntry | None:
    """Return what is known about a file; None when nothing is."""
    try:
        record = json.loads(_place(path).read_text(encoding="utf-8"))
        before = record["before"]
        return FileEntry(
            path=str(record["path"]),
            before=None if before is None else base64.b64decode(before),
            after=str(record["after"]),
            folders=tuple(map(str, record["folders"])),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def note(path: Path, entry: FileEntry) -> None:
    """Remember a file. Its copy may hold secrets of others, so it is for its owner alone."""
    place = _place(path)
    paths.make_private(str(place.parent))
    before = None if entry.before is None else base64.b64encode(entry.before).decode()
    record = {"path": entry.path, "before": before, "after": entry.after, "folders": entry.folders}
    durable.replace_file(place, json.dumps(record))


def strike(path: Path) -> None:
    """Forget a file."""
    _place(path).unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        folder().rmdir()


def digest(raw: bytes) -> str:
    """Return what two equal files have in common."""
    return hashlib.sha256(raw).hexdigest()


def _place(path: Path) -> Path:
    return folder() / f"{key_of(os.path.realpath(path))}.json"
