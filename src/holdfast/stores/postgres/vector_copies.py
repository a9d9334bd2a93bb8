"""Vectors of stores that are in use, as int8 copies in this process: a scan of them names candidates.

What is true stands in the database, which compares the candidates exactly. A copy is as good as the changes of
vectors that it knows (`Facts`): one that it does not know it reads, by rows, and where a change does not say which
rows it was about, everything. What was used longest ago is let go when there are too many.

Must not live here: SQL. How copies are scanned: `stores.arrays`.
"""

import threading
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from holdfast.embedding import scan
from holdfast.stores.arrays import Arrays, Block, Copies

if TYPE_CHECKING:
    from holdfast.model.vectors import Vector
    from holdfast.stores.postgres.facts import Sum

MOST_BYTES = 128 * 1024 * 1024
"""Bytes of copies that a process holds."""

LARGEST = 200_000
"""Vectors of a store from which on there is no copy: a graph on the server answers faster than a scan of more."""

_LONGEST_TAIL = 4_096
"""Vectors that came since a copy was made; with more it is made anew."""

_HEAD = 4
"""Bytes before the numbers of a vector as the server sends it."""

_EXTRA = 12
"""Bytes that a copy takes beside its numbers: its row and its scale."""

Key = tuple[str, int, str]
"""A tenant, a store of it, and a target."""


class Chunk(NamedTuple):
    """A vector as the server sends it, and whose it is."""

    row: int
    number: int
    sent: bytes


class Changes(NamedTuple):
    """What a copy does not know: the numbers of changes, the rows these were about, and what those have now.

    Without rows it is about all of them.
    """

    numbers: Sequence[int]
    rows: frozenset[int] | None
    chunks: Sequence[Chunk]


class VectorSource(Protocol):
    """Where vectors are read, as the transaction under way sees them."""

    def pages(self) -> Iterator[Sequence[Chunk]]:
        """Read all of them, in the order of their rows."""

    def changes(self, known: Iterable[int]) -> Changes:
        """Read what changed, but for these changes."""

    def numbers(self) -> Sequence[int]:
        """Name every change there is."""


class VectorCopy:
    """The vectors of one target of one store. One thread at a time."""

    def __init__(self, arrays: Arrays, known: Iterable[int], version: tuple[int, int]) -> None:
        self.lock = threading.Lock()
        self.version = version
        self._arrays = arrays
        self._known = set(known)
        self._tail = 0

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        return len(self._arrays) * (self._arrays.width + _EXTRA)

    def catch_up(self, source: VectorSource, version: tuple[int, int]) -> bool:
        """Take in what changed since; say whether that was possible."""
        if self.version == version:
            return True
        changes = source.changes(self._known)
        self._tail += len(changes.chunks)
        if changes.rows is None or self._tail > _LONGEST_TAIL:
            return False
        self._arrays.change(changes.rows, _halves(changes.chunks))
        self._known.update(changes.numbers)
        self.version = version
        return True

    def candidates(self, probe: scan.Probe, limit: int) -> list[int]:
        """Return the rows that may be the nearest, and more."""
        return self._arrays.candidates(probe, limit)


class VectorCopies:
    """The copies that a process holds, the one that was used last at the end."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._copies: dict[Key, VectorCopy] = {}
        self._loading: dict[Key, threading.Lock] = {}

    def candidates(
        self, key: Key, vector: "Vector", limit: int, known: "Sum", source: VectorSource, *, may_load: bool
    ) -> list[int] | None:
        """Return the rows of a store that may be nearest to a vector; None where there is no copy to scan.

        Who has little time (`may_load`) does not make one, and nobody waits for another who does.
        """
        probe = scan.Probe(vector)
        copy = self._used(key)
        if copy:
            with copy.lock:
                if copy.catch_up(source, known.version):
                    return copy.candidates(probe, limit)
        if not may_load or known.documents > LARGEST:
            return None
        copy = self._load(key, source, known, probe.width)
        if copy is None:
            return None
        with copy.lock:  # others find it from now on
            return copy.candidates(probe, limit)

    def _used(self, key: Key) -> VectorCopy | None:
        with self._lock:
            copy = self._copies.pop(key, None)
            if copy:
                self._copies[key] = copy
            return copy

    def _load(self, key: Key, source: VectorSource, known: "Sum", width: int) -> VectorCopy | None:
        with self._lock:
            loading = self._loading.setdefault(key, threading.Lock())
        if not loading.acquire(blocking=False):
            return None
        try:
            numbers = source.numbers()  # first: what comes in between is read again, and not taken for known
            copy = VectorCopy(_arrays(source.pages(), width), numbers, known.version)
            with self._lock:
                self._copies[key] = copy
                while len(self._copies) > 1 and sum(held.size for held in self._copies.values()) > MOST_BYTES:
                    del self._copies[next(iter(self._copies))]
            return copy
        finally:
            loading.release()


def _arrays(pages: Iterator[Sequence[Chunk]], width: int) -> Arrays:
    rows, scales, copies = array("q"), bytearray(), bytearray()
    for page in pages:
        fitting = [chunk for chunk in page if len(chunk.sent) == _HEAD + 2 * width]
        rows.extend(chunk.row for chunk in fitting)
        quantised, scale = scan.quantise(_numbers(fitting), width)
        copies += quantised
        scales += scale
    block = Block(memoryview(rows), memoryview(scales).cast("f"), Copies(copies), memoryview(b""), width)
    return Arrays(block)


def _halves(chunks: Iterable[Chunk]) -> Mapping[int, bytes]:
    by_row: dict[int, list[Chunk]] = {}
    for chunk in chunks:
        by_row.setdefault(chunk.row, []).append(chunk)
    return {row: _numbers(sorted(own, key=_chunk_number)) for row, own in by_row.items()}


def _chunk_number(chunk: Chunk) -> int:
    return chunk.number


def _numbers(chunks: Iterable[Chunk]) -> bytes:
    """Return the numbers of vectors side by side; the server sends the high byte of each first."""
    import numpy as np

    sent = b"".join(bytes(memoryview(chunk.sent)[_HEAD:]) for chunk in chunks)
    return np.frombuffer(sent, ">f2").astype(np.float16).tobytes()
