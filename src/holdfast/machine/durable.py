"""Putting a file in another's place, so that a power cut leaves the one or the other, whole: its one home. Light.

It is written beside it, seen to the disk, renamed, and the name is seen to the disk, too: without the last step a
file that was there can be gone after a power cut, and with its entry in the registry a store becomes a stranger's.

Windows refuses to rename or remove what somebody has open, if only to read it for a moment: here either is tried
again for a while. Its directories cannot be seen to the disk; NTFS has a log of its own for names. On macOS
`fsync` ends at the memory of the drive, so that the drive itself is asked.
"""

import errno
import os
import sys
import time

from holdfast.machine.handles import NO_LINK, open_handle

TYPE_CHECKING = False  # typing's own, without importing typing: hooks share this module
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Name = str | os.PathLike[str]

ENDING = ".part"
"""How a file's name ends until it is complete; one that a killed process left goes with the next."""

STALE_S = 60
"""How old it is then at least: nobody takes so long to write a small file."""

PATIENCE_S = 1.0
"""How long to try, on Windows, what somebody else's opening stands in the way of: nobody reads a file so long."""

_LOOK_S = 0.01


def replace_file(path: "Name", content: "str | bytes | Iterable[str]", mode: int = 0o600) -> None:
    """Write a file whole or not at all; on return it survives a power cut. Text may hold surrogate escapes."""
    place = os.fspath(path)
    folder, name = os.path.split(place)
    sweep(folder, name)
    fresh = os.path.join(folder, f".{name}.{os.urandom(6).hex()}{ENDING}")
    try:
        handle = open_handle(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode)
        try:
            os.chmod(fresh, mode)  # whatever the umask
            for piece in (content,) if isinstance(content, str | bytes) else content:
                write_all(handle, piece.encode("utf-8", "surrogateescape") if isinstance(piece, str) else piece)
            sync(handle)
        finally:
            os.close(handle)
        move(fresh, place)
    except BaseException:
        _discard(fresh)
        raise
    sync_directory(folder)


def append_line(path: "Name", text: str) -> None:
    """Add to a file of ours, never through a link, and see it to the disk."""
    place = os.fspath(path)
    fresh = not os.path.exists(place)
    handle = open_handle(place, os.O_CREAT | os.O_WRONLY | os.O_APPEND | NO_LINK)
    try:
        write_all(handle, text.encode("utf-8", "surrogateescape"))
        sync(handle)
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


def move(source: "Name", target: "Name") -> None:
    """Give a file another name, in place of what has it; on Windows neither may stay open elsewhere."""
    _try_while_open(lambda: os.replace(source, target))


def remove(path: "Name") -> None:
    """Remove a file; on Windows it may not stay open elsewhere."""
    _try_while_open(lambda: os.unlink(path))


def _try_while_open(act: "Callable[[], None]") -> None:
    deadline = time.monotonic() + PATIENCE_S
    while sys.platform == "win32" and time.monotonic() < deadline:
        try:
            return act()
        except PermissionError:
            time.sleep(_LOOK_S)
    return act()


def sync(handle: int) -> None:
    """See a file to the disk."""
    if sys.platform == "darwin":
        import fcntl

        try:
            fcntl.fcntl(handle, fcntl.F_FULLFSYNC)
            return
        except OSError:
            pass  # a network mount, or a drive that knows no such wish
    os.fsync(handle)


def sync_directory(folder: "Name") -> None:
    """Write a directory's names to the disk, where the platform and the file system can."""
    try:
        handle = open_handle(os.fspath(folder) or ".")
    except OSError:
        return
    try:
        sync(handle)
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


def _discard(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return  # it has its name, or was never made
