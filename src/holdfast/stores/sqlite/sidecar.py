"""Files beside the database that hold vectors: made whole, replaced by rename, never edited.

Magic, digest, length of the header, header (JSON, padded), body. Such a file is believed only when its digest
holds and its header names this store, epoch, generation, model, dimension and the very nonce that its builder
committed to the store: a store that was restored or rewound has another nonce. A sidecar's body is rows, scales,
int8 copies and float16 originals; a graph's is usearch's own. A file is read whole, not mapped: one that is cut
short or written over while it is in use would end the process, or answer for it.

Lives here: the files' form. Must not live here: SQL, and what to do when there is none.
"""

import contextlib
import hashlib
import json
import os
import stat
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from io import FileIO
from pathlib import Path

from holdfast.stores.sqlite.arrays import Block

MAGIC = b"HOLDVEC1"
FORMAT = 1
_DIGEST = slice(8, 40)
_LENGTH = slice(40, 44)
_BODY = 64
_PAD = 64
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True)
class Identity:
    """Whose vectors these are: what a file and its store must agree on."""

    store: str
    epoch: str
    generation: int
    model: str
    dimensions: int


@dataclass(frozen=True, slots=True)
class Header:
    """What a file says it is. `position` is the last change of the store that it knows."""

    identity: Identity
    nonce: int
    position: int
    count: int
    format: int = FORMAT


@dataclass(frozen=True, slots=True)
class Found:
    """A whole file, in memory."""

    header: Header
    buffer: memoryview
    start: int


def write(path: Path, header: Header, body: Iterable[memoryview]) -> Path:
    """Write a file under a private name beside its own; the caller renames it, or removes it."""
    text = json.dumps(asdict(header)).encode()
    lead = text + b" " * (-len(text) % _PAD)
    length = len(lead).to_bytes(4, "little")
    digest = hashlib.sha256(length + lead)
    fresh = path.with_name(f".{path.name}.{os.urandom(6).hex()}.new")
    with os.fdopen(os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
        file.write(bytes(_BODY) + lead)
        for part in body:
            digest.update(part)
            file.write(part)
        file.seek(0)
        file.write(MAGIC + digest.digest() + length)
    return fresh


def read(path: Path) -> Found | None:
    """Read a file; None when there is none or it is not whole."""
    buffer = _content(path)
    if buffer is None or len(buffer) <= _BODY or buffer[:8] != MAGIC:
        return None
    length = int.from_bytes(buffer[_LENGTH], "little")
    if not _digest_holds(buffer, length):
        return None
    header = _header(bytes(buffer[_BODY : _BODY + length]))
    return Found(header, buffer, _BODY + length) if header else None


def sweep(path: Path) -> None:
    """Remove a file and whatever unfinished ones lie beside it."""
    for leftover in (path, *path.parent.glob(f".{path.name}.*.new")):
        with contextlib.suppress(OSError):
            leftover.unlink(missing_ok=True)


def body_of(block: Block) -> list[memoryview]:
    """Return a block as the body of a sidecar."""
    import numpy as np

    if not len(block):
        return []
    arrays = (block.rows, block.scale, block.whole, block.exact)
    return [np.ascontiguousarray(array).data.cast("B") for array in arrays]


def block_of(found: Found) -> Block | None:
    """Return the block in a sidecar; None when its size is not the one it says."""
    import numpy as np

    count, width, start = found.header.count, found.header.identity.dimensions, found.start
    if len(found.buffer) != start + count * (12 + 3 * width):
        return None
    rows = np.frombuffer(found.buffer, np.int64, count, start)
    scale = np.frombuffer(found.buffer, np.float32, count, start + 8 * count)
    whole = np.frombuffer(found.buffer, np.int8, count * width, start + 12 * count)
    exact = np.frombuffer(found.buffer, np.float16, count * width, start + (12 + width) * count)
    return Block(rows, scale, whole.reshape(count, width), exact.reshape(count, width))


def _header(text: bytes) -> Header | None:
    try:
        fields = json.loads(text)
        header = Header(**(fields | {"identity": Identity(**fields["identity"])}))
    except (ValueError, TypeError, KeyError):  # a header of another form
        return None
    return header if header.format == FORMAT else None


def _content(path: Path) -> memoryview | None:
    """Return the bytes of a regular file; a pipe in its place would be waited for without end."""
    import numpy as np

    try:
        with open(os.open(path, _READ), "rb", buffering=0) as file:
            facts = os.fstat(file.fileno())
            if not stat.S_ISREG(facts.st_mode):
                return None
            content = np.empty(facts.st_size, np.uint8).data  # unlike a bytearray, not zeroed first
            return content[: _fill(file, content)]
    except OSError:
        return None


def _fill(file: FileIO, content: memoryview) -> int:
    """Read until the end or until there is no more room; return how much that was."""
    size = 0
    while more := file.readinto(content[size:]):
        size += more
    return size


def _digest_holds(buffer: memoryview, length: int) -> bool:
    if length > len(buffer) - _BODY:
        return False
    digest = hashlib.sha256(buffer[_LENGTH])
    digest.update(buffer[_BODY:])
    return digest.digest() == buffer[_DIGEST]
