"""What a spy wrote down: every change of a disk, in order, and between them what was acknowledged."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple


class Change(NamedTuple):
    """One change, or one acknowledgement."""

    what: str
    """`write`, `cut`, `sync`, `make`, `rename`, `link`, `remove`, `folder` or `promise`."""
    path: str
    other: str
    offset: int
    """Where it was written, how long a file is from now on, or a new file's inode."""
    data: bytes


def read_record(file: Path) -> list[Change]:
    """Read a record."""
    return list(_changes(file.read_bytes()))


def _changes(raw: bytes) -> Iterator[Change]:
    at = 0
    while at < len(raw):
        end = raw.index(b"\n", at)
        what, path, other, offset, length = raw[at:end].split(b"\t")
        at = end + 1 + int(length)
        yield Change(what.decode(), path.decode(), other.decode(), int(offset), raw[end + 1 : at])
