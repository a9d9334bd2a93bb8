"""Whose a store is, decided before it is opened; where its backups lie.

A cloned repository may ship a `.holdfast` with a database. It is opened only when this user made it: that is
decided here, from its name, its inode and the id that stands in its bytes, before SQLite sees it.

Backups lie in a folder for each store in the user's data directory, private to its owner. Beside them stand the
marks of what was forgotten, so that they outlive the loss of the project, and a note of the last automatic backup
that failed.
"""

import contextlib
import json
import os
import time
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import asdict

from holdfast.errors import NotAStore, StoreDamaged, StoreGone, StoreUnwritable, UnsafePath, UntrustedStore
from holdfast.machine import disk, paths
from holdfast.machine.paths import key_of, names_store, real_name
from holdfast.model.patterns import regex
from holdfast.model.times import day
from holdfast.ports.store_file import StoreFile

if TYPE_CHECKING:
    from holdfast.model.care import Backup

_NEAR_BYTES = 65_536
"""A store's id stands in its first pages."""


class StoreRecord(Struct, frozen=True):
    """A store that this user made: where, which file, and the id in it."""

    path: str
    device: int
    inode: int
    store: str

    def holds(self, file_status: os.stat_result, file: Path) -> bool:
        """Say whether a file is this store: inodes are used again, so its id must stand in it as well."""
        return self.inode == file_status.st_ino and names_store(file, self.store)

    def vacant(self) -> bool:
        """Whether the store is no longer where it was made."""
        try:
            return os.lstat(self.path).st_ino != self.inode
        except OSError:
            return True


class Stores(Struct, frozen=True):
    """A folder with one entry for each file of a store that this user made.

    Entries are written before a file gets its name and do not replace each other: of two that are made at once
    both have one, and a restore that is killed on the way leaves the store that was there known.
    """

    folder: Path

    def claim(self, database: Path, file: Path, store_id: str) -> None:
        """Enter a store: the file that has, or is about to get, the database's name."""
        file_status = file.stat()
        record = StoreRecord(real_name(str(database)), file_status.st_dev, file_status.st_ino, store_id)
        paths.make_private(str(self.folder))
        disk.replace_file(self._entry(record), json.dumps(asdict(record)))

    def at(self, database: Path) -> list[StoreRecord]:
        """Return the stores that were made at a path, whether or not they are still there."""
        return self._read_records(f"{key_of(real_name(str(database)))}-*.json")

    def all(self) -> list[StoreRecord]:
        """Return every store that this user made and that is still there, each once."""
        there = {record.path: record for record in self._read_records("*.json") if not record.vacant()}
        return [there[path] for path in sorted(there)]

    def everything(self) -> list[StoreRecord]:
        """Return every store that this user made, whether or not it is still there."""
        return self._read_records("*.json")

    def known(self, store_id: str) -> list[StoreRecord]:
        """Return the places where a store was made."""
        return self._read_records(f"*-{store_id}-*.json")

    def objection(self, database: Path) -> str | None:
        """Say why a file is not taken for a store that this user made; None when it is.

        The same path and inode: ours. The device may differ, as it does between mounts. A store that was made
        elsewhere and is no longer there, with the same device and inode: the owner moved it, and is entered anew.
        """
        file_status = database.lstat()
        if any(record.holds(file_status, database) for record in self.at(database)):
            return None
        every = self._read_records("*.json")
        for record in every:
            if record.device == file_status.st_dev and record.vacant() and record.holds(file_status, database):
                self.claim(database, database, record.store)
                for entry in self.folder.glob(f"{key_of(record.path)}-{record.store}-*.json"):
                    entry.unlink(missing_ok=True)
                return None
        copies = [record for record in every if names_store(database, record.store, _NEAR_BYTES)]
        if copies:
            return f"it is a copy of the store you made at {copies[0].path}"
        return "you did not make it"

    def _entry(self, record: StoreRecord) -> Path:
        return self.folder / f"{key_of(record.path)}-{record.store}-{record.inode}.json"

    def _read_records(self, pattern: str) -> list[StoreRecord]:
        records = []
        for entry in sorted(self.folder.glob(pattern)):
            with contextlib.suppress(OSError, ValueError, TypeError):
                records.append(StoreRecord(**json.loads(entry.read_text(encoding="utf-8"))))
        return records


MANUAL, AUTO, MIGRATION = "manual", "auto", "migration"

_NAME = regex(r"(\d{8}T\d{6}Z)(?:-(auto|migration))?(?:-(\d+))?\.db")
_NUMBER_DIGITS = 6
"""Digits of a backup's number. Backups used to have none, or a short one where two were made in one second."""

_FORMAT = "%Y%m%dT%H%M%SZ"
_MARKS = "forgotten"
_FAILURE = "failure"


class Backups(Struct, frozen=True):
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
                disk.replace_file(self._prepare_folder(store_id) / _FAILURE, problem)

    def failure(self, store_id: str) -> str | None:
        """Return why the last automatic backup failed, if it did."""
        try:
            return (self.folder / store_id / _FAILURE).read_text(encoding="utf-8").strip()
        except OSError:
            return None

    def add_marks(self, store_id: str, marks: Iterable[tuple[bool, bytes]]) -> None:
        """Append marks of what was forgotten, or may be remembered again."""
        lines = "".join(f"{'+' if stands else '-'}{mark.hex()}\n" for stands, mark in marks)
        disk.append_line(self._prepare_folder(store_id) / _MARKS, lines)

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


class Admission(Struct, frozen=True):
    """Decides whether a store's file may be opened."""

    file: StoreFile
    stores: Stores
    backups: Backups
    by_place: bool = False
    """The user's own store is trusted by its place in the user's data directory."""

    def admit(self, *, fresh: bool = False) -> None:
        """Raise unless the store that is there is this user's own, or none is there and none was lost.

        With `fresh`, what was lost is let go.
        """
        if self.by_place:
            return
        if self.spoilt():
            raise StoreDamaged(path=self.file.path, problem="it can no longer be recognised")
        if self.file.present():
            objection = self.objection()
            if objection:
                raise UntrustedStore(path=self.file.path, problem=objection)
        elif not fresh and (restorable_backups := self.restorable()):
            raise StoreGone(path=self.file.path, taken=day(restorable_backups[0].taken_at))

    def objection(self) -> str | None:
        """Say why the file that is there is not opened; None when it may be, or when there is none."""
        if self.by_place or not os.path.lexists(self.file.path):
            return None
        return self.stores.objection(Path(self.file.path))

    def spoilt(self) -> bool:
        """Whether the very file of a store made here is there, and can no longer be recognised."""
        try:
            inode = os.lstat(self.file.path).st_ino
        except OSError:
            return False
        if all(record.inode != inode for record in self.stores.at(self.file.path)):
            return False
        try:
            return self.file.present() and self.objection() is not None
        except NotAStore:
            return True

    def store_ids(self) -> list[str]:
        """Return the ids of the stores that this user made at this place."""
        return list(dict.fromkeys(record.store for record in self.stores.at(self.file.path)))

    def restorable(self) -> "list[Backup]":
        """Return the backups of stores made at this place: of the one that is there first, each newest first."""
        there = self.file.store_id() if os.path.lexists(self.file.path) else None
        stores = sorted(self.store_ids(), key=lambda store_id: (store_id == there, store_id), reverse=True)
        return [backup for store_id in stores for backup in self.backups.of(store_id)]

    def folders(self) -> list[Path]:
        """Return where copies of the store are made, and so may be left by a killed process."""
        backup_folders = [self.backups.folder / store_id for store_id in self.store_ids()]
        return [self.file.path.parent, self.backups.folder.parent, *backup_folders]

    def belongs_here(self, store_id: str) -> bool:
        """Say whether a backup is of a store made here, or of one that is no longer where it was made."""
        records = self.stores.known(store_id)
        return store_id in self.store_ids() or (bool(records) and all(record.vacant() for record in records))

    def missing_marks(self) -> tuple[str | None, set[bytes]]:
        """Return the store's id and the marks of forgotten things that are not kept beside its backups."""
        if not self.file.path.exists() or self.objection():
            return None, set()
        store_id = self.file.store_id()
        return store_id, self.file.marks() - self.backups.marks(store_id) if store_id else set()
