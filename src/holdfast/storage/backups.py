"""Where backups lie: a folder for each store in the user's data directory, private to its owner.

Beside the backups stand the marks of what was forgotten, so that they outlive the loss of the project, and a note
of the last automatic backup that failed.
"""

import contextlib
import os
import time
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.errors import StoreUnwritable, UnsafePath
from holdfast.machine import durable, paths
from holdfast.model.patterns import regex
from holdfast.model.value import Value

if TYPE_CHECKING:
    from holdfast.model.care import Backup

MANUAL, AUTO, MIGRATION = "manual", "auto", "migration"

_NAME = regex(r"(\d{8}T\d{6}Z)(?:-(auto|migration))?(?:-(\d+))?\.db")
_NUMBER_DIGITS = 6
"""Digits of a backup's number. Backups used to have none, or a short one where two were made in one second."""

_FORMAT = "%Y%m%dT%H%M%SZ"
_MARKS = "forgotten"
_FAILURE = "failure"


class Backups(Value):
    """The folder of all backups."""

    folder: Path

    def of(self, store_id: str) -> "list[Backup]":
        """Return a store's backups, newest first."""
        try:
            names = sorted(os.listdir(self.folder / store_id), reverse=True)
        except OSError:
            return []
        backups = (self._backup(store_id, name) for name in names)
        return sorted((backup for backup in backups if backup), key=order_of, reverse=True)

    def holds(self, path: Path) -> bool:
        """Say whether a file lies in this folder, reached without a link in its own place."""
        real = Path(os.path.realpath(path.parent))
        return not path.is_symlink() and real.parent == Path(os.path.realpath(self.folder))

    def new_path(self, store_id: str, label: str, now: int) -> Path:
        """Return a free name for a backup made now."""
        moment = time.strftime(_FORMAT, time.gmtime(now / 1000))
        stem = moment if label == MANUAL else f"{moment}-{label}"
        place = self._prepare_folder(store_id)
        number = 1 + max((order_of(backup)[0] for backup in self.of(store_id)), default=0)
        return place / f"{stem}-{number:0{_NUMBER_DIGITS}}.db"

    def prune(self, store_id: str, label: str, keep: int) -> None:
        """Remove the oldest backups of a label beyond so many."""
        for old in [backup for backup in self.of(store_id) if backup.label == label][keep:]:
            Path(old.path).unlink(missing_ok=True)

    def note_failure(self, store_id: str, problem: str | None) -> None:
        """Keep why the last automatic backup failed; None when it did not."""
        note = self.folder / store_id / _FAILURE
        with contextlib.suppress(OSError, StoreUnwritable):
            if problem is None:
                note.unlink(missing_ok=True)
            else:
                durable.replace_file(self._prepare_folder(store_id) / _FAILURE, problem)

    def failure(self, store_id: str) -> str | None:
        """Return why the last automatic backup failed, if it did."""
        try:
            return (self.folder / store_id / _FAILURE).read_text(encoding="utf-8").strip()
        except OSError:
            return None

    def add_marks(self, store_id: str, marks: Iterable[tuple[bool, bytes]]) -> None:
        """Append marks of what was forgotten, or may be remembered again."""
        lines = "".join(f"{'+' if stands else '-'}{mark.hex()}\n" for stands, mark in marks)
        durable.append_line(self._prepare_folder(store_id) / _MARKS, lines)

    def marks(self, store_id: str) -> set[bytes]:
        """Return the marks that stand, in the order they came and went."""
        try:
            lines = (self.folder / store_id / _MARKS).read_text(encoding="ascii", errors="replace").splitlines()
        except OSError:
            return set()
        marks: set[bytes] = set()
        for line in lines:
            with contextlib.suppress(ValueError):
                mark = bytes.fromhex(line[1:])
                (marks.add if line.startswith("+") else marks.discard)(mark)
        return marks

    def _backup(self, store_id: str, name: str) -> "Backup | None":
        from holdfast.model.care import Backup

        parts = _NAME.fullmatch(name)
        path = self.folder / store_id / name
        if not parts or path.is_symlink():
            return None
        timestamp = datetime.strptime(parts[1], _FORMAT).replace(tzinfo=UTC)
        return Backup(
            path=str(path),
            store_id=store_id,
            taken_at=int(timestamp.timestamp() * 1000),
            label=parts[2] or MANUAL,
            bytes=path.stat().st_size,
        )

    def _prepare_folder(self, store_id: str) -> Path:
        """Make the folder of a store, for its owner alone."""
        place = self.folder / store_id
        try:
            for folder in (self.folder, place):
                if folder.is_symlink():
                    raise UnsafePath(path=folder, problem="symbolic link")
                paths.make_private(str(folder))
        except OSError as error:
            raise StoreUnwritable(path=place, problem=error.strerror or str(error)) from error
        return place


def order_of(backup: "Backup") -> tuple[int, int]:
    """Return what backups are put in order by: the number each got when it was made, then the time it was.

    The clock may have been wrong: a backup of 2099 would be the newest for ever. Those without numbers, of an
    older holdfast, come before all that have one.
    """
    parts = _NAME.fullmatch(Path(backup.path).name)
    number = parts[3] if parts else None
    return int(number) if number and len(number) >= _NUMBER_DIGITS else 0, backup.taken_at
