"""The files of a store: made whole or not at all, private to their owner, never through a symlink.

What must not be here: SQL, and any reading of a database.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from holdfast.errors import NotAStore, StoreUnwritable, UnsafePath
from holdfast.machine import disk, paths
from holdfast.machine.disk import NO_LINK, first_bytes, open_handle
from holdfast.model.ids import new_id
from holdfast.stores.sqlite.connection import APPLICATION_ID

if TYPE_CHECKING:
    from pathlib import Path

_MAGIC = b"SQLite format 3\x00"
_OWNER = slice(68, 72)  # the application id in the header: to open a foreign file would already touch its log
_LOGS = ("-wal", "-shm", "-journal")
OWN_LABELS = ("replaced", "damaged")
"""Why a store of one's own is set aside; what somebody else made has another label."""

FILLING = ".new"
"""How the name of a store's file ends while it is filled."""

_NAMING = ".naming.lock"
"""What is locked on Windows while a store gets its name."""

_IN_USE = (5, 32, 1224)
"""What Windows calls it: access denied, sharing violation, and a file that is mapped."""

_LONG_S = 3_600
"""How long a file has not grown that nobody works on, where there are no locks to tell."""


def prepare_directory(directory: Path) -> None:
    """Make a store's own directory for its owner alone; refuse a symlink in its place."""
    if directory.is_symlink():
        raise UnsafePath(path=directory, problem="symbolic link")
    try:
        paths.make_private(str(directory))
        directory.chmod(0o700)
    except FileExistsError as error:
        raise StoreUnwritable(path=directory, problem="a file stands where the directory should be") from error
    except OSError as error:
        raise StoreUnwritable(path=directory, problem=error.strerror or str(error)) from error


def ignore_in_git(directory: Path) -> None:
    """Let git pass over the directory without editing anybody's files, nor following a link out of it."""
    with contextlib.suppress(OSError):
        marker = open_handle(directory / ".gitignore", os.O_CREAT | os.O_EXCL | os.O_WRONLY)
        with os.fdopen(marker, "w", encoding="utf-8") as file:
            file.write("*\n")


def check_existing(path: Path) -> bool:
    """Say whether a store's file is there; refuse what is something else, and leave that as it is."""
    if path.parent.is_symlink():
        raise UnsafePath(path=path.parent, problem="symbolic link")
    for tail in _LOGS:
        if beside(path, tail).is_symlink():  # SQLite would follow it
            raise UnsafePath(path=beside(path, tail), problem="symbolic link")
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return False
    except OSError as error:
        raise StoreUnwritable(path=path, problem=error.strerror or str(error)) from error
    if stat.S_ISLNK(mode):
        raise UnsafePath(path=path, problem="symbolic link")
    if not stat.S_ISREG(mode):
        raise NotAStore(path=path, problem="not a regular file")
    try:
        head = first_bytes(path, _OWNER.stop)
    except OSError as error:
        raise StoreUnwritable(path=path, problem=error.strerror or str(error)) from error
    if not head.startswith(_MAGIC):
        raise NotAStore(path=path, problem="it is empty" if not head else "it is not an SQLite database")
    if int.from_bytes(head[_OWNER], "big") != APPLICATION_ID:
        raise NotAStore(path=path, problem="another program's database")
    return True


def create(path: Path, fill: Callable[[Path], None]) -> bool:
    """Make a file by filling a private one beside it and giving it its name in one step.

    A process killed on the way leaves no half-made store; of two that create at once, one wins and the
    other's work is dropped. Returns whether this one won. Logs that lie there without a database are put aside
    first: SQLite would play them into the new one, and they may be anybody's.
    """
    with private_file(path) as fresh:
        fill(fresh)
        with _alone(path.parent):
            _part_with_orphans(path)
            is_first = _name(fresh, path)
            disk.sync_directory(path.parent)
            return is_first


@contextlib.contextmanager
def _alone(directory: Path) -> Iterator[None]:
    """Keep other processes from naming a store in the same directory meanwhile."""
    if sys.platform == "win32":  # no directory can be opened there
        handle = open_handle(directory / _NAMING, os.O_CREAT | os.O_RDWR)
    else:
        handle = open_handle(directory)
    try:
        with contextlib.suppress(OSError):  # some network mounts have no locks
            disk.wait_for(handle)
        yield
    finally:
        os.close(handle)


@contextlib.contextmanager
def private_file(path: Path) -> Iterator[Path]:
    """Give an empty file for its owner alone beside a path; whatever is left of it afterwards goes."""
    sweep(path.parent)
    try:
        fresh, handle = _make_alone(path)
        try:
            yield fresh
        finally:
            _remove_with_logs(fresh)
            if handle is not None:
                os.close(handle)
    except OSError as error:
        raise StoreUnwritable(path=path, problem=reason(error)) from error


def reason(error: OSError) -> str:
    """Say what kept a file from being written, and, where another program has it open, what to do about it."""
    if getattr(error, "winerror", None) in _IN_USE:
        return "another program has it open; end the agents and servers that use it, and try again"
    return error.strerror or str(error)


def _make_alone(path: Path) -> tuple[Path, int | None]:
    """Make an empty file beside a path, and hold its lock while it is worked on, where there are locks."""
    while True:
        fresh = path.with_name(f".{path.name}.{new_id(0)[-12:]}{FILLING}")
        handle = open_handle(fresh, os.O_CREAT | os.O_EXCL | os.O_RDWR)
        if sys.platform == "win32":  # a file that is open could not be renamed
            os.close(handle)
            return fresh, None
        os.fchmod(handle, 0o600)  # whatever the umask; by its handle, as it may be swept just now
        if _lock(handle) and fresh.exists():  # not swept in between
            return fresh, handle
        os.close(handle)


def _lock(handle: int) -> bool:
    """Take a file's lock; False when somebody has it. Where a network mount has no locks, nobody has."""
    try:
        return disk.take(handle)
    except OSError:
        return True


def _remove_with_logs(path: Path) -> None:
    for leftover in (path, *(beside(path, tail) for tail in _LOGS)):
        _remove(leftover)


def _remove(path: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        disk.remove(path)


def leftovers(folder: Path) -> list[Path]:
    """Return what killed processes left in a folder: stores in plain text that nobody works on any more."""
    try:
        names = [name for name in os.listdir(folder) if name.startswith(".") and FILLING in name]
    except OSError:
        return []
    bases = {folder / f"{name.rpartition(FILLING)[0]}{FILLING}" for name in names}
    return sorted(path for path in bases if _is_left(path))


def sweep(folder: Path) -> int:
    """Remove what killed processes left in a folder; return how many stores that was."""
    orphans = leftovers(folder)
    for path in orphans:
        with contextlib.suppress(OSError):
            _remove_with_logs(path)
    return len(orphans)


def _is_left(path: Path) -> bool:
    """Whether nobody works on a file: its lock is free, or, without locks, it has not grown for an hour."""
    if sys.platform == "win32":
        with contextlib.suppress(OSError):
            return time.time() - path.lstat().st_mtime > _LONG_S
        return True
    try:
        handle = open_handle(path, os.O_RDONLY | NO_LINK)
    except FileNotFoundError:
        return True  # only its logs are there
    except OSError:
        return False
    try:
        return _lock(handle)
    finally:
        os.close(handle)


def beside(path: Path, tail: str) -> Path:
    """Return the file that SQLite keeps beside a database."""
    return path.with_name(path.name + tail)


def set_aside(path: Path, label: str, now: int) -> Path:
    """Give a store's file another name, with its log, so that SQLite still finds the two together."""
    moment = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now / 1000))
    aside = path.with_name(f"{path.name}.{label}-{moment}")
    number = 1
    while aside.exists():
        number += 1
        aside = path.with_name(f"{path.name}.{label}-{moment}-{number}")
    for tail in ("", *_LOGS):
        with contextlib.suppress(FileNotFoundError):
            disk.move(beside(path, tail), beside(aside, tail))
    return aside


def aside(path: Path) -> list[Path]:
    """Return the files that `set_aside` named after this one; not those that somebody else made."""
    pattern = re.compile(re.escape(path.name) + rf"\.(?:{'|'.join(OWN_LABELS)})-\d{{8}}T\d{{6}}Z(?:-\d+)?")
    try:
        names = sorted(os.listdir(path.parent))
    except OSError:
        return []
    return [path.with_name(name) for name in names if pattern.fullmatch(name)]


def drop_empty_log(path: Path) -> None:
    """Remove a log that holds nothing, and its index: SQLite leaves them where a file was renamed in use."""
    log = beside(path, "-wal")
    if not log.exists() or log.stat().st_size == 0:
        for tail in ("-wal", "-shm"):
            _remove(beside(path, tail))


def drop_logs(path: Path) -> None:
    """Remove the logs beside a file that was put there whole: they belong to the one before."""
    for tail in _LOGS:
        _remove(beside(path, tail))


def settle(fresh: Path, path: Path) -> None:
    """Give a file that is written to the disk its name in one step, in place of what had it before."""
    descriptor = open_handle(fresh, os.O_RDWR)  # Windows sees nothing to the disk by a handle that only reads
    try:
        disk.sync(descriptor)
    finally:
        os.close(descriptor)
    disk.move(fresh, path)
    disk.sync_directory(path.parent)


def _part_with_orphans(path: Path) -> None:
    """Rename a log whose database is gone: SQLite would take it for the new one's."""
    for tail in _LOGS:
        log = beside(path, tail)
        if os.path.lexists(log) and not path.exists():
            with contextlib.suppress(FileNotFoundError):
                disk.move(log, path.with_name(f"{path.name}.orphan-{new_id(0)[-12:]}{tail}"))


def _name(fresh: Path, path: Path) -> bool:
    try:
        if sys.platform == "win32":  # whose renaming replaces nothing, and leaves no second name to be removed
            os.rename(fresh, path)
        else:
            path.hardlink_to(fresh)
    except FileExistsError:
        return False
    except OSError:  # no hard links on this file system
        if path.exists():
            return False
        fresh.replace(path)
    return True
