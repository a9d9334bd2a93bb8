"""Files beside the database that hold vectors: made whole, replaced by rename, never edited.

Magic, digest, length of the header, header (JSON, padded), body. Such a file is believed only when its header
names this store, epoch, generation, model, dimension and the very nonce that its builder committed to the store: a
store that was restored or rewound has another nonce. And only when it is whole: by its digest or, where a process
asks but once, because it is the very file that was written: its stamp (size, inode and both times, which whatever
writes to a file changes; on Windows the second is when it was made) was committed with the nonce. A sidecar's
body is rows, scales, int8 copies and float16 originals; a graph's is usearch's own. A file is read, not mapped:
one that is cut short or written over while it is in use would end the process, or answer for it.

Lives here: the files' form. Must not live here: SQL, and what to do when there is none. Light.
"""

import contextlib
import json
import os
import stat
from _weakref import ref
from collections.abc import Iterable, Iterator
from io import FileIO

from msgspec import Struct

from holdfast.machine import disk
from holdfast.machine.disk import NO_WAIT, open_handle
from holdfast.stores.arrays import Block, Copies, Readable

MAGIC = b"HOLDVEC1"
FORMAT = 1
"""Which form of header and body this is; a file of another is passed over."""

_DIGEST = slice(8, 40)
_LENGTH = slice(40, 44)
_BODY = 64
"""Where the header begins."""

_PAD = 64
"""Bytes that a header is filled up to a multiple of, so that the numbers behind it are aligned."""

_LONGEST_HEADER = 4_096
"""Bytes that a header can have; it holds the names of a model and a store."""

_PART = 2_048
"""Rows that are read at a time where they are looked at once: they stay in the processor's cache."""


class Identity(Struct, frozen=True):
    """Whose vectors these are: what a file and its store must agree on."""

    store: str
    epoch: str
    generation: int
    model: str
    dimensions: int


class Header(Struct, frozen=True):
    """What a file says it is."""

    identity: Identity
    nonce: int
    position: int
    """The last change of the store that it knows."""
    count: int

    @property
    def fields(self) -> dict[str, object]:
        """What stands in the file."""
        identity = {name: getattr(self.identity, name) for name in Identity.__struct_fields__}
        own = {"nonce": self.nonce, "position": self.position, "count": self.count, "format": FORMAT}
        return {"identity": identity, **own}


class Whole(Struct, frozen=True):
    """A whole file, in memory."""

    header: Header
    body: memoryview


def write(path: str, header: Header, body: Iterable[memoryview]) -> str:
    """Write a file under a private name beside its own; the caller renames it, or removes it."""
    from hashlib import sha256

    text = json.dumps(header.fields).encode()
    lead = text + b" " * (-len(text) % _PAD)
    length = len(lead).to_bytes(4, "little")
    digest = sha256(length + lead)
    folder, name = os.path.split(path)
    fresh = os.path.join(folder, f".{name}.{os.urandom(6).hex()}.new")
    with os.fdopen(open_handle(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY), "wb") as file:
        file.write(bytes(_BODY) + lead)
        for part in body:
            digest.update(part)
            file.write(part)
        file.seek(0)
        file.write(MAGIC + digest.digest() + length)
    return fresh


def stamp(path: str) -> str | None:
    """Return what tells a file from any other, and from itself once it was written to; None: there is none."""
    with contextlib.suppress(OSError):
        return _stamp(os.stat(path))
    return None


def read(path: str) -> Whole | None:
    """Read a file; None when there is none or it is not whole."""
    with contextlib.suppress(OSError), _open_regular(path) as file:
        content = memoryview(file.readall())
        header, start = _read_header(content[: _BODY + _LONGEST_HEADER])
        if header is not None and _digest_holds(content):
            return Whole(header, content[start:])
    return None


def block_of(whole: Whole) -> Block | None:
    """Return the block in a sidecar; None when its size is not the one it says."""
    count, width = whole.header.count, whole.header.identity.dimensions
    if len(whole.body) != _size(whole.header):
        return None
    copies = Copies(whole.body[12 * count : (12 + width) * count])
    return _block(whole.body[: 12 * count], copies, whole.body[(12 + width) * count :], width)


_held: dict[str, ref[Copies]] = {}
"""The copies of each path that somebody in this process holds, as long as anybody does: connections to one store
share what never changes."""


def load(path: str) -> tuple[Header, Block] | None:
    """Return what a sidecar holds, to be held in memory; None when there is none or it is not whole.

    What another connection of this process holds of the very same file is not read again.
    """
    file_stamp = stamp(path)
    held_sidecar = _held[path]() if path in _held else None
    if held_sidecar is not None and held_sidecar.origin and held_sidecar.origin[0] == file_stamp:
        _, header, rows, scale, halves = held_sidecar.origin
        return header, Block(rows, scale, held_sidecar, halves, header.identity.dimensions)
    whole = read(path)
    block = block_of(whole) if whole else None
    if whole is None or block is None:
        return None
    if stamp(path) == file_stamp:
        share(path, file_stamp, whole.header, block)
    return whole.header, block


def later_header(path: str, copies: object) -> Header | None:
    """Return the header of another file than these copies are of, where somebody in this process holds that."""
    held_sidecar = _held[path]() if path in _held else None
    return (
        held_sidecar.origin[1]
        if held_sidecar is not None and held_sidecar is not copies and held_sidecar.origin
        else None
    )


def share(path: str, file_stamp: str | None, header: Header, block: Block) -> None:
    """Let others in this process have the block that a sidecar holds."""
    if isinstance(block.copies, Copies):
        block.copies.origin = (file_stamp, header, block.rows, block.scale, block.halves)
        _held[path] = ref(block.copies)


def glance(path: str, expected_stamp: object) -> tuple[Header, Block] | None:
    """Return what a sidecar holds to be looked at once, if it is still the file that was written; else None.

    Its copies are read while they are compared: to hold them would cost who asks once most of its time.
    """
    with contextlib.suppress(OSError), _open_regular(path) as file:
        facts = os.fstat(file.fileno())
        if _stamp(facts) != expected_stamp:
            return None
        header, start = _read_header(memoryview(file.read(_BODY + _LONGEST_HEADER) or b""))
        if header is not None and facts.st_size == start + _size(header):
            count, width = header.count, header.identity.dimensions
            file.seek(start)
            lead = memoryview(_read_exactly(file, 12 * count))
            copies = _Passing(path, str(expected_stamp), start + 12 * count, count * width)
            return header, _block(lead, copies, memoryview(b""), width)
    return None


def sweep(path: str) -> None:
    """Remove a file and whatever unfinished ones lie beside it."""
    folder, name = os.path.split(path)
    with contextlib.suppress(OSError):
        beside = [
            entry for entry in os.listdir(folder) if entry.startswith(f".{name}.") and entry.endswith(".new")
        ]
        for leftover in (name, *beside):
            with contextlib.suppress(OSError):
                disk.remove(os.path.join(folder, leftover))


def body_of(block: Block) -> list[memoryview]:
    """Return a block as the body of a sidecar."""
    parts = (block.rows, block.scale, block.copies.content, block.halves)
    return [memoryview(part).cast("B") for part in parts if part]


class _Passing:
    """Int8 copies that are read from their file while they are looked at, once."""

    again = False

    def __init__(self, path: str, expected_stamp: str, start: int, size: int) -> None:
        self._path = path
        self._expected_stamp = expected_stamp
        self._start = start
        self._size = size

    @property
    def content(self) -> memoryview:
        """Nobody holds them."""
        raise ValueError("these copies are not held in memory")

    def parts(self, width: int) -> Iterator[memoryview]:
        """Hand out one part after the other; what was handed out before is gone then."""
        with _open_regular(self._path) as file:
            if _stamp(os.fstat(file.fileno())) != self._expected_stamp:
                raise OSError("a sidecar was replaced while it was read")
            file.seek(self._start)
            remaining_bytes = self._size
            room = memoryview(bytearray(min(_PART * width, remaining_bytes)))
            while remaining_bytes:
                part = room[: min(len(room), remaining_bytes)]
                _fill(file, part)
                remaining_bytes -= len(part)
                yield part


def _block(lead: memoryview, copies: Readable, halves: memoryview, width: int) -> Block:
    count = len(lead) // 12
    return Block(lead[: 8 * count].cast("q"), lead[8 * count :].cast("f"), copies, halves, width)


def _size(header: Header) -> int:
    return header.count * (12 + 3 * header.identity.dimensions)


def _stamp(facts: os.stat_result) -> str:
    return f"{facts.st_size}:{facts.st_ino}:{facts.st_mtime_ns}:{facts.st_ctime_ns}"


def _read_header(content: memoryview) -> tuple[Header | None, int]:
    """Read the beginning of a file: its header, and where its body starts."""
    length = int.from_bytes(content[_LENGTH], "little")
    if content[:8] != MAGIC or not 0 < length <= len(content) - _BODY:
        return None, 0
    return _header(bytes(content[_BODY : _BODY + length])), _BODY + length


def _header(text: bytes) -> Header | None:
    try:
        fields = json.loads(text)
        header = Header(Identity(**fields["identity"]), fields["nonce"], fields["position"], fields["count"])
        numbers = (header.identity.dimensions, header.position, header.count)
        is_valid = fields["format"] == FORMAT and all(
            isinstance(number, int) and number >= 0 for number in numbers
        )
    except (ValueError, TypeError, KeyError):  # a header of another form
        return None
    return header if is_valid else None


def _open_regular(path: str) -> FileIO:
    """Open a regular file; a pipe in its place would be waited for without end."""
    file = FileIO(open_handle(path, os.O_RDONLY | NO_WAIT), "rb")
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return file
    file.close()
    raise OSError("not a regular file")


def _read_exactly(file: FileIO, size: int) -> bytearray:
    content = bytearray(size)
    _fill(file, memoryview(content))
    return content


def _fill(file: FileIO, room: memoryview) -> None:
    """Read until there is no more room."""
    size = 0
    while size < len(room):
        more = file.readinto(room[size:])
        if not more:
            raise OSError("a sidecar was cut short while it was read")
        size += more


def _digest_holds(content: memoryview) -> bool:
    from hashlib import sha256

    digest = sha256(content[_LENGTH])
    digest.update(content[_BODY:])
    return digest.digest() == content[_DIGEST]
