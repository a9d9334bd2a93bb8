"""Whose store it is, decided before it is opened."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.errors import NotAStore, StoreDamaged, StoreGone, UntrustedStore
from holdfast.model.times import day
from holdfast.model.value import Value
from holdfast.ports.store_file import StoreFile
from holdfast.settings.registry import Stores
from holdfast.storage.backups import Backups

if TYPE_CHECKING:
    from holdfast.model.care import Backup


class Admission(Value):
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
