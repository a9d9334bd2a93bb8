"""Whether a store's file is one that this user made, told before SQLite sees it. Light: shared with hooks.

The entries are written by `registry`; here is how they are named and what they are compared with.
"""

import json
import mmap
import os
import stat

from holdfast.model.ids import digest

_LOGS = ("-wal", "-shm", "-journal")


def is_owned(database: str, folder: str) -> bool:
    """Say whether this user made the very file that stands at a path, and nothing beside it leads elsewhere."""
    try:
        file_status = os.lstat(database)
        entries = [name for name in os.listdir(folder) if name.startswith(f"{key_of(real_name(database))}-")]
    except OSError:
        return False
    if not stat.S_ISREG(file_status.st_mode) or any(os.path.islink(database + tail) for tail in ("", *_LOGS)):
        return False
    if os.path.islink(os.path.dirname(database)):
        return False
    return any(_holds(os.path.join(folder, name), file_status.st_ino, database) for name in entries)


def key_of(path: str) -> str:
    """Return what entries about a path are called."""
    return digest(path)[:32]


def real_name(database: str) -> str:
    """Return a database's name with every link above it followed, but not one in its own place."""
    folder, name = os.path.split(database)
    return os.path.join(os.path.realpath(folder), name)


def names_store(file: "str | os.PathLike[str]", store_id: str, most: int = 0) -> bool:
    """Say whether a store's id stands in a file's bytes, without opening it as a database."""
    try:
        with open(file, "rb") as stream, mmap.mmap(stream.fileno(), most, access=mmap.ACCESS_READ) as content:
            return content.find(b"store_id" + store_id.encode()) >= 0
    except ValueError:  # shorter than that
        return names_store(file, store_id) if most and os.stat(file).st_size else False
    except OSError:
        return False


def _holds(entry: str, inode: int, database: str) -> bool:
    try:
        with open(entry, encoding="utf-8") as file:
            record = json.load(file)
        return record["inode"] == inode and names_store(database, record["store"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False
