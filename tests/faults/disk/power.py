"""Disks as a loss of power can leave them.

Certain is only what was synced. Of everything later any part may be there: no write, some, all but the end of the
last one. Two kinds of disk: on a strict one a new name is certain once its folder was synced; on an orderly one a
sync of any file brings along all names that were changed before, as the journals of common file systems do.
"""

import contextlib
import json
import os
import random
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.faults.disk.record import Change
from tests.faults.processes import database

SECTOR = 512


@dataclass
class File:
    """What a file certainly holds, and what was written to it since."""

    inode: int
    settled: bytearray = field(default_factory=bytearray)
    loose: list[Change] = field(default_factory=list)


Names = dict[str, File]
Renaming = Callable[[Names], object]


class Disk:
    """A disk up to some moment."""

    def __init__(self, *, strict: bool) -> None:
        self.promises: list[str] = []
        self._strict = strict
        self._names: Names = {}
        self._settled: Names = {}
        self._loose: list[tuple[str, Renaming]] = []

    def take(self, change: Change) -> None:
        """Go through one change."""
        match change.what:
            case "promise":
                self.promises.append(change.path)
            case "write" | "cut":
                if change.path in self._names:
                    self._names[change.path].loose.append(change)
            case "sync":
                self._sync(change.path)
            case "make":
                file = File(change.offset)
                self._rename(change.path, lambda names: names.__setitem__(change.path, file))
            case "remove":
                self._rename(change.path, lambda names: names.pop(change.path, None))
            case "link":
                self._rename(change.other, lambda names: _copy(names, change, keep=True))
            case "rename":
                self._rename(change.other, lambda names: _copy(names, change, keep=False))

    def after_power_loss(self, luck: random.Random) -> "dict[str, tuple[int, bytes]]":
        """Return the inode and the bytes of every file that may be found."""
        names = dict(self._settled)
        certain = luck.choice([0, len(self._loose), luck.randint(0, len(self._loose))])
        for _, renaming in self._loose[:certain]:
            renaming(names)
        return {path: (file.inode, _left(file, luck)) for path, file in names.items()}

    def _rename(self, path: str, renaming: Renaming) -> None:
        renaming(self._names)
        self._loose.append((os.path.dirname(path), renaming))

    def _sync(self, path: str) -> None:
        file = self._names.get(path)
        if file is not None:
            for change in file.loose:
                _apply(file.settled, change)
            file.loose.clear()
        if file is None or not self._strict:
            self._settle_names(lambda folder: not self._strict or folder == path)

    def _settle_names(self, certain: Callable[[str], bool]) -> None:
        for folder, renaming in self._loose:
            if certain(folder):
                renaming(self._settled)
        self._loose = [(folder, renaming) for folder, renaming in self._loose if not certain(folder)]


def _copy(names: Names, change: Change, *, keep: bool) -> None:
    if change.path in names:
        names[change.other] = names[change.path]
        if not keep:
            del names[change.path]


def _left(file: File, luck: random.Random) -> bytes:
    """Return what is left of a file: what is certain, and some of the rest."""
    content = bytearray(file.settled)
    loose = file.loose
    match luck.choice(["nothing", "all", "beginning", "some", "torn"]):
        case "nothing":
            loose = []
        case "beginning":
            loose = loose[: luck.randint(0, len(loose))]
        case "some":
            loose = [change for change in loose if luck.random() < 0.6]
        case "torn" if loose:
            loose = loose[: luck.randint(1, len(loose))]
            sectors = luck.randint(0, len(loose[-1].data) // SECTOR)
            loose = [*loose[:-1], loose[-1]._replace(data=loose[-1].data[: sectors * SECTOR])]
    for change in loose:
        _apply(content, change)
    return bytes(content)


def _apply(content: bytearray, change: Change) -> None:
    if change.what == "cut":
        del content[change.offset :]
        content.extend(bytes(change.offset - len(content)))
        return
    content.extend(bytes(max(0, change.offset - len(content))))
    content[change.offset : change.offset + len(change.data)] = change.data


def cut_power(changes: Sequence[Change], home: Path, luck: random.Random, *, strict: bool) -> list[str]:
    """Put what a loss of power at a random moment leaves in the place of a home; return what was promised."""
    disk = Disk(strict=strict)
    for change in changes[: luck.randint(1, len(changes))]:
        disk.take(change)
    shutil.rmtree(home, ignore_errors=True)
    (home / "project").mkdir(parents=True)
    found = disk.after_power_loss(luck)
    for path, (_, content) in found.items():
        file = Path(path)
        for folder in reversed(file.relative_to(home).parents[:-1]):
            (home / folder).mkdir(mode=0o700, exist_ok=True)
        file.write_bytes(content)
        file.chmod(0o600)
    store = database(home / "project")
    if str(store) in found:
        _tell_inode(home / "data" / "stores", found[str(store)][0], store.stat().st_ino)
    return disk.promises


def _tell_inode(stores: Path, old: int, new: int) -> None:
    """Let the entries of a store name the file written here, which a real disk would not have renumbered."""
    for entry in stores.glob(f"*-{old}.json"):
        with contextlib.suppress(ValueError):  # torn, as the loss of power left it
            made = json.loads(entry.read_text()) | {"inode": new}
            entry.unlink()
            entry.with_name(entry.name.replace(f"-{old}.json", f"-{new}.json")).write_text(json.dumps(made))
