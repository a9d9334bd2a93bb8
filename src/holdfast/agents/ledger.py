"""What was installed where: of each file how it was, what we left in it, and for whom.

`status` reads it to say who is connected, so nothing here needs the agents themselves.
"""

import base64
import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from holdfast.machine import disk, paths
from holdfast.model.ids import digest_bytes


class FileEntry(NamedTuple):
    """One file: what was in it (None: it was not there), what we left in it, and the folders made for it."""

    path: str
    before: bytes | None
    after: str
    folders: tuple[str, ...]
    agent: str
    project: str
    """Whose it is, for people; and the root of the project that it is for, empty where it is the user's."""

    def untouched(self, now: bytes | None) -> bool:
        """Say whether a file is as we left it."""
        return now is not None and digest_bytes(now) == self.after


def ledger_folder() -> Path:
    """Return where the copies are."""
    return Path(paths.data_directory()) / "installed"


def find_entry(path: Path) -> FileEntry | None:
    """Return what is known about a file; None when nothing is."""
    return _read_entry(_entry_file(path))


def entries() -> Iterator[FileEntry]:
    """Yield what is known about every file."""
    for entry_file in sorted(ledger_folder().glob("*.json")):
        if entry := _read_entry(entry_file):
            yield entry


def entries_left() -> list[FileEntry]:
    """Return what is known about every file that is still there."""
    return [entry for entry in entries() if os.path.exists(entry.path)]


def connected_agents(root: str) -> tuple[str, ...]:
    """Return the agents that have files of ours: those of the user, then those of a project."""
    present = {(entry.project, entry.agent) for entry in entries_left() if entry.project in ("", root)}
    return tuple(f"{agent} (this project)" if project else agent for project, agent in sorted(present))


def note_entry(path: Path, entry: FileEntry) -> None:
    """Remember a file. Its copy may hold secrets of others, so it is for its owner alone."""
    place = _entry_file(path)
    paths.make_private(str(place.parent))
    before = None if entry.before is None else base64.b64encode(entry.before).decode()
    disk.replace_file(place, json.dumps({**entry._asdict(), "before": before}))


def hand_on(folder: str) -> None:
    """Let a folder that we made go with the last file of ours that is in it."""
    for entry in entries():
        if Path(folder) in Path(entry.path).parents and folder not in entry.folders:
            note_entry(Path(entry.path), entry._replace(folders=(*entry.folders, folder)))


def strike_entry(path: Path) -> None:
    """Forget a file."""
    _entry_file(path).unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        ledger_folder().rmdir()


def _read_entry(entry_file: Path) -> FileEntry | None:
    try:
        record = json.loads(entry_file.read_text(encoding="utf-8"))
        before = record["before"]
        record["before"] = None if before is None else base64.b64decode(before)
        return FileEntry(**{**record, "folders": tuple(record["folders"])})
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _entry_file(path: Path) -> Path:
    return ledger_folder() / f"{paths.key_of(os.path.realpath(path))}.json"
