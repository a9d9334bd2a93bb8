"""What this user vouches for and what this user made: one small file each in the user's data directory.

Settings, stores and exports.

A cloned repository may ship a `.holdfast` with a configuration and a database. The configuration is obeyed whole
only when this user has vouched for that very text; when the text changes, by a pull say, it is not. The database
is opened only when this user made it: that is decided here, from its name, its inode and the id that stands in its
bytes, before SQLite sees it.
"""

import contextlib
import json
import os
from dataclasses import asdict
from pathlib import Path

from holdfast.errors import ConfigError, InvalidInput
from holdfast.machine import durable, paths
from holdfast.machine.handles import open_handle
from holdfast.machine.paths import key_of, names_store, real_name
from holdfast.model.ids import digest_bytes
from holdfast.model.value import Value

_NEAR_BYTES = 65_536
"""A store's id stands in its first pages."""


class Registry(Value):
    """A folder with one entry for each configuration vouched for."""

    folder: Path

    def vouches_for_config(self, file: Path, text: bytes) -> bool:
        """Say whether this user vouched for these bytes of this file."""
        try:
            stored_identity = json.loads(self._entry(file).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return False
        return bool(stored_identity == _config_identity(file, text))

    def vouch_for_config(self, file: Path, text: bytes | None = None) -> None:
        """Vouch for these bytes of a configuration file, or for it as it stands."""
        _write(self._entry(file), _config_identity(file, file.read_bytes() if text is None else text))

    def _entry(self, file: Path) -> Path:
        return self.folder / f"{key_of(os.path.realpath(file))}.json"


class Vouching(Value):
    """A settings file, and what of it is not obeyed as it stands."""

    file: Path | None = None
    ignored: tuple[str, ...] = ()
    reserved: tuple[str, ...] = ()
    """Those of the ignored keys that only the user may set, by typing them."""
    problems: tuple[str, ...] = ()
    """What of the settings cannot be used, in this file or elsewhere."""
    doubts: tuple[str, ...] = ()
    """What is wrong with them where it stops nobody."""

    def accept(self, registry: Registry) -> tuple[str, ...]:
        """Obey the file from now on; return the keys that were not obeyed before."""
        if self.file is None or self.file.is_symlink() or not self.file.is_file():
            raise InvalidInput(field="--config", problem=f"there is no file {self.file}.")
        for key in self.reserved:
            problem = "says where all you remember goes: take that line out, and set it with `holdfast config set`"
            raise ConfigError(key=key, problem=problem, origin=self.file)
        registry.vouch_for_config(self.file)
        return self.ignored


class StoreRecord(Value):
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


class Stores(Value):
    """A folder with one entry for each file of a store that this user made.

    Entries are written before a file gets its name and do not replace each other: of two that are made at once
    both have one, and a restore that is killed on the way leaves the store that was there known.
    """

    folder: Path

    def claim(self, database: Path, file: Path, store_id: str) -> None:
        """Enter a store: the file that has, or is about to get, the database's name."""
        file_status = file.stat()
        record = StoreRecord(real_name(str(database)), file_status.st_dev, file_status.st_ino, store_id)
        _write(self._entry(record), asdict(record))

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


class Exports(Value):
    """A folder with one empty file for each export that this user made, named after the bytes of the export.

    Read again as it was written, an export is this user's own word; changed by a single byte, it is anybody's.
    """

    folder: Path
    keep: int = 1_000

    def claim(self, digest: str) -> None:
        """Enter an export by the SHA-256 of its bytes; the oldest entries go when there are too many."""
        paths.make_private(str(self.folder))
        os.close(open_handle(self.folder / digest, os.O_CREAT | os.O_WRONLY))
        durable.sync_directory(self.folder)
        entries = sorted(self.folder.iterdir(), key=lambda entry: entry.stat().st_mtime_ns)
        for entry in entries[: -self.keep]:
            entry.unlink(missing_ok=True)

    def made(self, digest: str) -> bool:
        """Say whether this user made an export with these bytes."""
        return (self.folder / digest).is_file()


def _write(entry: Path, identity: dict[str, object]) -> None:
    """Write an entry; it appears whole or not at all, and survives a power cut as the store does."""
    paths.make_private(str(entry.parent))
    durable.replace_file(entry, json.dumps(identity))


def _config_identity(file: Path, text: bytes) -> dict[str, object]:
    return {"path": os.path.realpath(file), "sha256": digest_bytes(text)}
