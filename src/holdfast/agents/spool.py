"""Where hooks leave what was said until it is in the store: append-only files in the user's data directory.

Every project has a folder there, every session a file in it with one JSON object a line. Whoever drains it
*seals* a file first, by renaming it under its lock: what a hook appends from then on goes to a new file, and the
sealed one never changes again, so that (spool, line) names one entry for good. In the user's directory and not
in the project's, because a cloned repository could bring its own. Light: shared with hooks.
"""

import errno
import json
import os
import sys
import time
from collections.abc import Callable, Iterator

from holdfast.machine import disk
from holdfast.machine import paths as places
from holdfast.machine.disk import NO_LINK, open_handle
from holdfast.model.ids import digest, ordered_id

Entry = dict[str, object]
Change = Callable[[Entry], Entry]

MOST_BYTES = 16 << 20
"""Of one session's file: nobody has drained it for a long time, and a disk is not for filling."""

READ_BYTES = 256 << 10
"""How much of what waits is read at once, newest first."""

DRAINING = "draining.lock"
"""The lock of the process that drains."""

_HEAD = 400
"""Within so many bytes of a line stands who says it: texts come after."""

OPEN, _SEALED_ENDING, _ROOT, _REFUSED_FILE = ".open", ".sealed", "root", "refused.jsonl"
_OLDER, _KEPT = ".1", ".refused"
"""What the older half of what was refused is called, and a file that could be put nowhere."""


class SpoolFull(Exception):
    """A session's file has reached its limit; nothing was written."""


class BeingDrained(Exception):
    """The spool is being drained, and was still when the time to wait for it was over."""


def folder_of(root: str) -> str:
    """Return the folder of a project's spool; it need not be there."""
    return os.path.join(places.data_directory(), "spool", digest(os.path.realpath(root))[:32])


def name_of(client: str, session: str) -> str:
    """Return what a session's files are called."""
    return f"{client}-{digest(session)[:16]}"


def prepare(root: str) -> str:
    """Make the folder of a project's spool, for its owner alone, and note whose it is."""
    folder = folder_of(root)
    if not os.path.isabs(folder):
        raise NotADirectoryError(errno.ENOTDIR, "there is no home directory")
    if not os.path.isdir(folder):
        places.make_private(folder)
    note = os.path.join(folder, _ROOT)
    if not os.path.exists(note):  # or whoever made the folder was killed just then
        disk.replace_file(note, os.path.realpath(root))
    return folder


def append(folder: str, name: str, entry: Entry) -> None:
    """Add an entry to a session's file; on return it is on the disk."""
    _append(folder, name + OPEN, entry)


def set_aside(folder: str, entry: Entry) -> None:
    """Keep an entry that could not be taken in, for whoever finds out why; of a great deal, the newest part."""
    try:
        _append(folder, _REFUSED_FILE, entry)
    except SpoolFull:
        disk.move(os.path.join(folder, _REFUSED_FILE), os.path.join(folder, _REFUSED_FILE + _OLDER))
        _append(folder, _REFUSED_FILE, entry)


def line_of(entry: Entry) -> bytes:
    """Return an entry as it is written, without the end of its line."""
    return json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _append(folder: str, name: str, entry: Entry) -> None:
    line = line_of(entry) + b"\n"
    path = os.path.join(folder, name)
    handle, fresh = _open_locked(path)
    try:
        size = os.fstat(handle).st_size
        if size + len(line) > MOST_BYTES:
            raise SpoolFull(path)
        if size and _last_byte(handle, size) != b"\n":  # somebody was killed while writing
            line = b"\n" + line
        try:
            disk.write_all(handle, line)
        except OSError:
            os.ftruncate(handle, size)
            raise
        _to_disk(handle)
    finally:
        os.close(handle)
    if fresh:
        disk.sync_directory(folder)


def seal(folder: str) -> list[str]:
    """Close every open file to hooks, and return the sealed ones, oldest first."""
    for name in _paths_ending(folder, OPEN):
        _seal(folder, name)
    return [os.path.join(folder, name) for name in sorted(_paths_ending(folder, _SEALED_ENDING))]


def entries(path: str) -> Iterator[tuple[int, Entry]]:
    """Yield a file's entries with their numbers; a line that is none (torn by a kill) has no number to lose."""
    with open(path, "rb") as file:
        yield from _parse_entries(file.read())


def keep_refused(path: str) -> None:
    """Keep a sealed file that holds what could be put nowhere else; it is drained no more."""
    disk.move(path, path + _KEPT)


def remove(path: str) -> None:
    """Let go of a sealed file whose entries are all kept elsewhere."""
    disk.remove(path)


def paths(folder: str) -> list[str]:
    """Return every file of a spool that holds entries, also those that were set aside."""
    endings = (OPEN, _SEALED_ENDING, _REFUSED_FILE, _REFUSED_FILE + _OLDER, _SEALED_ENDING + _KEPT)
    return [os.path.join(folder, name) for name in sorted(_paths_ending(folder, "")) if name.endswith(endings)]


def waiting_entries(root: str, without: str = "", most: int = 0) -> list[Entry]:
    """Return what has not been drained yet, oldest first; of a great deal, the newest part.

    At most so many bytes are read, by default `READ_BYTES`. What a certain role said can be left out: the long
    answers of tools are then not even parsed.
    """
    mark = f'"role":"{without}"'.encode()
    folder = folder_of(root)
    timed_entries: list[tuple[int, Entry]] = []
    remaining_bytes = most or READ_BYTES
    for path in _newest_first(folder):
        try:
            with open(path, "rb") as file:
                size = os.fstat(file.fileno()).st_size
                file.seek(max(0, size - remaining_bytes))
                raw = file.read(remaining_bytes)
        except OSError:  # drained just now
            continue
        if without:
            raw = b"\n".join(line for line in raw.split(b"\n") if mark not in line[:_HEAD])
        batch = [entry for _, entry in _parse_entries(raw)]
        timed_entries += [(at if isinstance(at := entry.get("at"), int) else 0, entry) for entry in batch]
        remaining_bytes -= size
        if remaining_bytes <= 0:
            break
    return [entry for _, entry in sorted(timed_entries, key=lambda pair: pair[0])]


def edit(root: str, change: Change, seconds: float) -> None:
    """Put what `change` makes of each entry in its place, in every file of a project's spool, for forgetting.

    It holds the lock of draining, because a drain keeps what it read in memory, and seals open files first, so
    that no hook appends to a file that is being rewritten. Entries keep their lines: a sealed file and a line in
    it name one entry for good. A line that cannot be read (torn by a kill, or nested too deeply) goes.
    """
    folder = folder_of(root)
    if not os.path.isdir(folder):
        return
    draining = hold(folder, DRAINING, seconds)
    if draining is None:
        raise BeingDrained(folder)
    try:
        seal(folder)
        for path in paths(folder):
            if not path.endswith(OPEN):  # a hook began it since
                _edit_file(path, change)
    finally:
        os.close(draining)


def _edit_file(path: str, change: Change) -> None:
    """Rewrite one file that nobody else changes meanwhile."""
    with open(path, "rb") as file:
        lines = file.read().split(b"\n")
    edited_lines = [_change_line(line, change) for line in lines]
    if edited_lines != lines:
        disk.replace_file(path, b"\n".join(edited_lines))


def _change_line(line: bytes, change: Change) -> bytes:
    entry = _parse_line(line)
    if entry is None:
        return b""
    after = change(entry)
    return line if after == entry else line_of(after)


def all_entries(root: str) -> Iterator[Entry]:
    """Yield everything that waits in a project's spool, and what was set aside there."""
    for path in paths(folder_of(root)):
        try:
            yield from [entry for _, entry in entries(path)]
        except FileNotFoundError:  # drained just now
            continue


def roots() -> list[str]:
    """Return the projects in whose spools something waits."""
    project_roots = []
    above = os.path.join(places.data_directory(), "spool")
    for name in _paths_ending(above, ""):
        folder = os.path.join(above, name)
        try:
            with open(os.path.join(folder, _ROOT), encoding="utf-8", errors="surrogateescape") as file:
                root = file.read()
        except OSError:
            continue
        if (_paths_ending(folder, OPEN) or _paths_ending(folder, _SEALED_ENDING)) and os.path.isdir(root):
            project_roots.append(root)
    return project_roots


def extent(folder: str) -> tuple[int, int]:
    """Return how many bytes wait, and since when, in epoch seconds (now, when nothing does)."""
    size, since = 0, time.time()
    for path in _newest_first(folder):
        try:
            file_status = os.stat(path)
        except OSError:
            continue
        size += file_status.st_size
        since = min(since, file_status.st_mtime)
    return size, int(since)


def hold(folder: str, lock: str, seconds: float = 0.0) -> int | None:
    """Take one of the folder's locks, waiting at most so long; return its handle, None when somebody else has it.

    Where there are no locks, somebody may: None. The lock is let go with its handle, and with the process.
    """
    handle = open_handle(os.path.join(folder, lock), os.O_RDWR | os.O_CREAT)
    try:
        if disk.take_within(handle, seconds):
            return handle
    except OSError:  # some network mounts have no locks
        pass
    os.close(handle)
    return None


def _open_locked(path: str) -> tuple[int, bool]:
    """Open a file to append and hold its lock; once more when it was sealed just before."""
    while True:
        fresh = not os.path.exists(path)
        handle = open_handle(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | NO_LINK)
        try:
            disk.wait_for(handle)
            if os.fstat(handle).st_nlink and os.path.samestat(os.fstat(handle), os.stat(path)):
                return handle, fresh
        except FileNotFoundError:
            pass
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def _last_byte(handle: int, size: int) -> bytes:
    os.lseek(handle, size - 1, os.SEEK_SET)  # appending goes to the end all the same
    return os.read(handle, 1)


def _seal(folder: str, name: str) -> None:
    path = os.path.join(folder, name)
    if sys.platform == "win32":  # what somebody appends to cannot be renamed there, by a law of the system
        _rename_sealed(folder, path)
        return
    try:
        handle = open_handle(path, os.O_RDWR)
    except FileNotFoundError:
        return
    try:
        disk.wait_for(handle)
        _rename_sealed(folder, path)
    finally:
        os.close(handle)


def _rename_sealed(folder: str, path: str) -> None:
    """Give an open file its name for good; one that is gone was sealed by somebody else."""
    try:
        disk.move(path, os.path.join(folder, f"{ordered_id(time.time_ns())}{_SEALED_ENDING}"))
    except FileNotFoundError:
        return


def _parse_entries(raw: bytes) -> Iterator[tuple[int, Entry]]:
    for number, line in enumerate(raw.split(b"\n"), 1):
        entry = _parse_line(line)
        if entry is not None:
            yield number, entry


def _parse_line(line: bytes) -> Entry | None:
    """Return the entry of a line; None where it is torn by a kill, nested too deeply, or no object."""
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) else None


def _paths_ending(folder: str, ending: str) -> list[str]:
    try:
        return [name for name in os.listdir(folder) if name.endswith(ending)]
    except OSError:
        return []


def _newest_first(folder: str) -> list[str]:
    dated_paths = []
    for name in _paths_ending(folder, OPEN) + _paths_ending(folder, _SEALED_ENDING):
        path = os.path.join(folder, name)
        try:
            dated_paths.append((os.stat(path).st_mtime_ns, path))
        except OSError:
            continue
    return [path for _, path in sorted(dated_paths, reverse=True)]


def _to_disk(handle: int) -> None:
    getattr(os, "fdatasync", os.fsync)(handle)
