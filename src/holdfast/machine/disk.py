"""Files on this machine's disks, the same on every system: opened as bytes, locked, looked into, put in another's
place so that it lasts; and the kind of mount that a path is on. Light: shared with hooks.

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

A file that replaces another is written beside it, seen to the disk, renamed, and the name is seen to the disk,
too: without the last step a file that was there can be gone after a power cut, and with its entry in the registry
a store becomes a stranger's. Windows refuses to rename or remove what somebody has open, if only to read it for a
moment: here either is tried again for a while. Its directories cannot be seen to the disk; NTFS has a log of its
own for names. On macOS `fsync` ends at the memory of the drive, so that the drive itself is asked.

SQLite's shared memory does not work on a network or shared-folder mount. Linux says so in its mount table; macOS
is asked for it, but only about what is not on the disk that it runs from; Windows names such a place by its
server, whatever letter of a drive leads there.
"""

import contextlib
import errno
import os
import re
import sys
import time
from _thread import allocate_lock
from collections.abc import Callable, Iterable, Iterator

Name = str | os.PathLike[str]
FileKey = tuple[int, int]

NO_LINK = getattr(os, "O_NOFOLLOW", 0)
"""Refuse a link in the file's place."""

NO_WAIT = getattr(os, "O_NONBLOCK", 0)
"""Do not wait for whoever is to write into a pipe that stands in the file's place."""

_BYTES = getattr(os, "O_BINARY", 0)


def open_handle(path: Name, flags: int = os.O_RDONLY, mode: int = 0o600) -> int:
    """Open a file and return its handle; what is read and written are bytes."""
    return os.open(path, flags | _BYTES, mode)


LOOK_S = 0.02
"""How often to look whether a lock is free, where the system does not wait for it."""

_FAR = 0x7FFF0000
"""Which byte: Windows' C library counts to 2 GiB; a spool's file, the largest that is locked, has 16 MiB."""


if sys.platform == "win32":
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
_connections: dict[FileKey, int] = {}
_handles: dict[FileKey, int] = {}


def note_connection(path: Name) -> FileKey | None:
    """Say that a database is about to be opened; return what `note_end` needs, None where there is no file."""
    try:
        with _guard:
            key = _key_of(os.stat(path))
            _connections[key] = _connections.get(key, 0) + 1
            return key
    except OSError:
        return None


def note_end(key: FileKey | None) -> None:
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


def first_bytes(path: Name, size: int) -> bytes:
    """Return the beginning of a file."""
    with _borrowed(path) as handle:
        return _read(handle, 0, size)


def holds_bytes(path: Name, mark: bytes, most: int = 0) -> bool:
    """Say whether some bytes stand in a file, or in so much of its beginning."""
    with _borrowed(path) as handle:
        return _search(handle, mark, most or os.fstat(handle).st_size)


@contextlib.contextmanager
def _borrowed(path: Name) -> Iterator[int]:
    """Lend a handle of a file: the one that stays open while there are connections, else one for this look."""
    with _guard:
        kept_handle = _handles.get(_key_of(os.stat(path)))
        handle = open_handle(path) if kept_handle is None else kept_handle
        key = _key_of(os.fstat(handle))
        if key in _connections:
            _handles[key] = handle
        try:
            yield handle
        finally:
            if key not in _connections:
                os.close(handle)


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


def _key_of(file_status: os.stat_result) -> FileKey:
    return file_status.st_dev, file_status.st_ino


# ── putting a file in another's place ───────────────────────────────────────────────────────────────────────────

ENDING = ".part"
"""How a file's name ends until it is complete; one that a killed process left goes with the next."""

STALE_S = 60
"""How old it is then at least: nobody takes so long to write a small file."""

PATIENCE_S = 1.0
"""How long to try, on Windows, what somebody else's opening stands in the way of: nobody reads a file so long."""

_LOOK_S = 0.01


def replace_file(path: Name, content: str | bytes | Iterable[str], mode: int = 0o600) -> None:
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
        with contextlib.suppress(OSError):  # it has its name, or was never made
            os.unlink(fresh)
        raise
    sync_directory(folder)


def append_line(path: Name, text: str) -> None:
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


def move(source: Name, target: Name) -> None:
    """Give a file another name, in place of what has it; on Windows neither may stay open elsewhere."""
    _try_while_open(lambda: os.replace(source, target))


def remove(path: Name) -> None:
    """Remove a file; on Windows it may not stay open elsewhere."""
    _try_while_open(lambda: os.unlink(path))


def _try_while_open(act: Callable[[], None]) -> None:
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


def sync_directory(folder: Name) -> None:
    """Write a directory's names to the disk, where the platform and the file system can."""
    try:
        handle = open_handle(os.fspath(folder) or ".")
    except OSError:
        return
    try:
        with contextlib.suppress(OSError):
            sync(handle)
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
            with contextlib.suppress(OSError):
                if time.time() - os.lstat(leftover).st_mtime > STALE_S:
                    os.unlink(leftover)


# ── mounts ──────────────────────────────────────────────────────────────────────────────────────────────────────

SHARE = "network share"
"""What a place on another machine is called that Windows reaches by its server's name."""

_ESCAPE_PATTERN = r"\\([0-7]{3})"
_MOUNT_LINE = r"^.*? on (?P<point>/.*) \((?P<kind>\w+)(?:, [^()]*)?\)$"
_SHARED_MOUNTS = frozenset(
    "nfs nfs4 cifs smb3 smbfs afpfs webdav 9p virtiofs vboxsf vmhgfs prl_fs ceph lustre glusterfs".split()
)
_NETWORK_FUSE = tuple(f"fuse.{name}" for name in "sshfs rclone s3fs glusterfs ceph vmhgfs-fuse grpcfuse".split())
_MACOS_FUSE = ("macfuse", "osxfuse")
_OWN_VOLUMES = ("/", "/System/Volumes/Data")
"""Where macOS runs from, and where its users' files are."""
_PATIENCE_S = 5


def mount_kind(path: Name) -> str | None:
    """Return the kind of a network or shared-folder mount that a path is on; None for a local disk."""
    real = os.path.realpath(path)
    if sys.platform == "win32":
        return SHARE if _is_share(real) else None
    kind = _file_system(real, _mounts(real))
    is_shared = kind in _SHARED_MOUNTS or kind.startswith((*_NETWORK_FUSE, *_MACOS_FUSE))
    return kind if is_shared else None


def _is_share(path: str) -> bool:
    r"""Say whether a path of Windows begins with a server's name; `\\?\C:\` and the like are this machine."""
    return path.startswith(("\\\\?\\UNC\\", "//?/UNC/")) or (
        path.startswith(("\\\\", "//")) and path[2:4] not in ("?\\", ".\\", "?/", "./")
    )


def _file_system(path: str, mounts: list[tuple[str, str]]) -> str:
    """Return the file system kind of the longest mount point above a path."""
    best, kind = "", ""
    for point, name in mounts:
        inside = path == point or path.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best):
            best, kind = point, name
    return kind


def _mounts(path: str) -> list[tuple[str, str]]:
    """Return (mount point, file system kind) pairs that may be above a path."""
    if sys.platform == "darwin":
        return [] if _is_on_own_volume(path) else _ask_mount()
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
    except OSError:
        return []
    return [pair for line in lines if (pair := _parse_mount(line))]


def _parse_mount(line: str) -> tuple[str, str] | None:
    before, dash, after = line.partition(" - ")
    fields = before.split()
    if not dash or len(fields) < 5 or not after:
        return None
    point = re.sub(_ESCAPE_PATTERN, lambda code: chr(int(code[1], 8)), fields[4])
    return point, after.split()[0]


def _is_on_own_volume(path: str) -> bool:
    """Say whether a path, which need not be there yet, is on a disk that macOS runs from, as nearly all are."""
    while not os.path.exists(path):
        path = os.path.dirname(path)
    return os.stat(path).st_dev in {os.stat(volume).st_dev for volume in _OWN_VOLUMES if os.path.exists(volume)}


def _ask_mount() -> list[tuple[str, str]]:
    import subprocess  # few projects are on another disk

    try:
        output = subprocess.run(["/sbin/mount"], capture_output=True, timeout=_PATIENCE_S, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return []
    return parse_mount_output(output.decode("utf-8", "replace"))


def parse_mount_output(text: str) -> list[tuple[str, str]]:
    """Return (mount point, file system kind) pairs of what macOS' `mount` prints."""
    matches = [re.match(_MOUNT_LINE, line) for line in text.splitlines()]
    return [(match["point"], match["kind"]) for match in matches if match]
