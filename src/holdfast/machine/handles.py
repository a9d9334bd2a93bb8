"""Files by their handle, the same on every system: opened as bytes, locked, and looked into. Light.

Windows takes a file that is opened without O_BINARY for text: it writes two characters for the end of a line and
ends reading at a control character. Two flags are not known there: links need a right of their own, and a pipe has
no name among files. `os.open` is called here alone; a house test holds that.

A lock belongs to an open file; it is let go with that, and with the process. Windows locks bytes, and keeps
everybody else from reading them: so there it is one byte far behind the end of whatever is in the file. Where a
file system has no locks, as some network mounts, taking one is an `OSError`: callers say what that means to them.

On POSIX systems closing any handle of a file lets go of every lock that the process has on it, and SQLite's are
among them. The next process to close the file then takes itself for the last: an older SQLite (3.40 was seen to)
removes the log, and what is written here after that is in a file without a name. So while a connection is open,
one handle of its file stays open, too, and serves every look. How many connections there are is a fact of the
process, hence the tables below.
"""

import os
import sys
import time
from _thread import allocate_lock

TYPE_CHECKING = False  # typing's own, without importing typing: hooks share this module
if TYPE_CHECKING:
    Name = str | os.PathLike[str]
    FileKey = tuple[int, int]

NO_LINK = getattr(os, "O_NOFOLLOW", 0)
"""Refuse a link in the file's place."""

NO_WAIT = getattr(os, "O_NONBLOCK", 0)
"""Do not wait for whoever is to write into a pipe that stands in the file's place."""

_BYTES = getattr(os, "O_BINARY", 0)


def open_handle(path: "Name", flags: int = os.O_RDONLY, mode: int = 0o600) -> int:
    """Open a file and return its handle; what is read and written are bytes."""
    return os.open(path, flags | _BYTES, mode)


LOOK_S = 0.02
"""How often to look whether a lock is free, where the system does not wait for it."""

_FAR = 0x7FFF0000
"""Which byte: Windows' C library counts to 2 GiB; a spool's file, the largest that is locked, has 16 MiB."""


if sys.platform == "win32":
    import errno
    import msvcrt

    _HELD = (errno.EACCES, errno.EDEADLK)

    def take(handle: int) -> bool:
        """Take a file's lock; False when somebody has it."""
        os.lseek(handle, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            if error.errno not in _HELD:
                raise
            return False
        return True

    def wait_for(handle: int) -> None:
        """Take a file's lock, however long it takes."""
        while not take(handle):
            time.sleep(LOOK_S)

else:
    import fcntl

    def take(handle: int) -> bool:
        """Take a file's lock; False when somebody has it."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def wait_for(handle: int) -> None:
        """Take a file's lock, however long it takes."""
        fcntl.flock(handle, fcntl.LOCK_EX)


def take_within(handle: int, seconds: float) -> bool:
    """Take a file's lock within so long; False when somebody has had it all the time."""
    deadline = time.monotonic() + seconds
    while not take(handle):
        if time.monotonic() >= deadline:
            return False
        time.sleep(LOOK_S)
    return True


_CHUNK = 1 << 20

_guard = allocate_lock()
"""Held from opening to closing: nobody connects in between, only to lose its locks."""
_connections: "dict[FileKey, int]" = {}
_handles: "dict[FileKey, int]" = {}


def note_connection(path: "Name") -> "FileKey | None":
    """Say that a database is about to be opened; return what `note_end` needs, None where there is no file."""
    try:
        with _guard:
            key = _key_of(os.stat(path))
            _connections[key] = _connections.get(key, 0) + 1
            return key
    except OSError:
        return None


def note_end(key: "FileKey | None") -> None:
    """Say that a connection is closed; with the last one of a file its handle goes."""
    with _guard:
        if key is None or key not in _connections:
            return
        _connections[key] -= 1
        if not _connections[key]:
            del _connections[key]
            handle = _handles.pop(key, None)
            if handle is not None:
                os.close(handle)


def first_bytes(path: "Name", size: int) -> bytes:
    """Return the beginning of a file."""
    with _guard:
        handle, is_kept = _borrow(path)
        try:
            return _read(handle, 0, size)
        finally:
            if not is_kept:
                os.close(handle)


def holds_bytes(path: "Name", mark: bytes, most: int = 0) -> bool:
    """Say whether some bytes stand in a file, or in so much of its beginning."""
    with _guard:
        handle, is_kept = _borrow(path)
        try:
            return _search(handle, mark, most or os.fstat(handle).st_size)
        finally:
            if not is_kept:
                os.close(handle)


def _borrow(path: "Name") -> "tuple[int, bool]":
    """Return a handle of a file, and whether it is one that stays open."""
    handle = _handles.get(_key_of(os.stat(path)))
    if handle is not None:
        return handle, True
    handle = open_handle(path)
    key = _key_of(os.fstat(handle))
    if key not in _connections:
        return handle, False
    _handles[key] = handle
    return handle, True


def _search(handle: int, mark: bytes, size: int) -> bool:
    """Look for bytes, a piece at a time; the pieces overlap, so that a mark between two is found."""
    for start in range(0, size, _CHUNK):
        piece = _read(handle, start, min(_CHUNK + len(mark) - 1, size - start))
        if mark in piece:
            return True
    return False


def _read(handle: int, start: int, size: int) -> bytes:
    os.lseek(handle, start, os.SEEK_SET)
    return os.read(handle, size)


def _key_of(file_status: os.stat_result) -> "FileKey":
    return file_status.st_dev, file_status.st_ino
