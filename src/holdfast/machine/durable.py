"""Putting a file in another's place, so that a power cut leaves the one or the other, whole: its one home. Light.

It is written beside it, seen to the disk, renamed, and the name is seen to the disk, too: without the last step a
file that was there can be gone after a power cut, and with its entry in the registry a store becomes a stranger's.
"""

import errno
import os
import time

TYPE_CHECKING = False  # typing's own, without importing typing: hooks share this module
if TYPE_CHECKING:
    from collections.abc import Iterable

    Name = str | os.PathLike[str]

ENDING = ".part"
"""How a file's name ends until it is complete; one that a killed process left goes with the next."""

STALE_S = 60
"""How old it is then at least: nobody takes so long to write a small file."""


def replace_file(path: "Name", content: "str | bytes | Iterable[str]", mode: int = 0o600) -> None:
    """Write a file whole or not at all; on return it survives a power cut. Text may hold surrogate escapes."""
    place = os.fspath(path)
    folder, name = os.path.split(place)
    sweep(folder, name)
    fresh = os.path.join(folder, f".{name}.{os.urandom(6).hex()}{ENDING}")
    try:
        handle = os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode)
        try:
            os.chmod(fresh, mode)  # whatever the umask
            for piece in (content,) if isinstance(content, str | bytes) else content:
                write_all(handle, piece.encode("utf-8", "surrogateescape") if isinstance(piece, str) else piece)
            os.fsync(handle)
        finally:
            os.close(handle)
        os.replace(fresh, place)
    except BaseException:
        _remove(fresh)
        raise
    sync_directory(folder)


def append_line(path: "Name", text: str) -> None:
    """Add to a file of ours, never through a link, and see it to the disk."""
    place = os.fspath(path)
    fresh = not os.path.exists(place)
    flags = os.O_CREAT | os.O_WRONLY | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
    handle = os.open(place, flags, 0o600)
    try:
        write_all(handle, text.encode("utf-8", "surrogateescape"))
        os.fsync(handle)
    finally:
        os.close(handle)
    if fresh:
        sync_directory(os.path.dirname(place))


def write_all(handle: int, content: bytes) -> None:
    """Write all of it, in as many pieces as the disk takes; one that takes nothing without a reason is broken."""
    while content:
        size = os.write(handle, content)
        if not size:
            raise OSError(errno.EIO, "nothing could be written")
        content = content[size:]


def sync_directory(folder: "Name") -> None:
    """Write a directory's names to the disk, where the platform and the file system can."""
    try:
        handle = os.open(os.fspath(folder) or ".", os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)


def sweep(folder: str, name: str) -> None:
    """Remove what killed processes left of a file."""
    try:
        names = os.listdir(folder or ".")
    except OSError:
        return
    for file_name in names:
        if file_name.startswith(f".{name}.") and file_name.endswith(ENDING):
            leftover = os.path.join(folder, file_name)
            try:
                if time.time() - os.lstat(leftover).st_mtime > STALE_S:
                    os.unlink(leftover)
            except OSError:
                continue


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return  # it has its name, or was never made
