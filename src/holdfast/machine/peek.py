"""Looking into a database's file without opening it as one, also while this process has it open. Light.

On POSIX systems closing any handle of a file lets go of every lock that the process has on it, and SQLite's are
among them. Who closes the file next then takes itself for the last: an older SQLite (3.40 was seen to) removes the
log, and what is written here after that is in a file without a name. So while a connection is open, one handle of
its file stays open, too, and serves every look. How many connections there are is a fact of the process, hence the
tables below.
"""

import os
from _thread import allocate_lock

from holdfast.machine.handles import open_handle

TYPE_CHECKING = False  # typing's own, without importing typing: hooks share this module
if TYPE_CHECKING:
    Name = str | os.PathLike[str]
    FileKey = tuple[int, int]

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
