"""One target's vectors in this process: a base of int8 copies, a tail of what came later, and what is dead there.

Lives here: which place holds which row, and the search over places. Must not live here: SQL and files. Light.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import chain, compress, islice
from operator import not_
from typing import Any, Protocol

from msgspec import Struct

from holdfast.embedding import scan
from holdfast.embedding.scan import Content

Halves = Mapping[int, bytes | memoryview]
"""The float16 vectors of rows: all chunks of each, side by side."""

LoadVectors = Callable[[Iterable[int]], Mapping[int, bytes]]
"""Returns the vectors that rows have in the database."""

RowCosines = list[tuple[int, float]]


class Readable(Protocol):
    """Int8 copies, wherever they are."""

    @property
    def again(self) -> bool: ...
    @property
    def content(self) -> memoryview: ...
    def parts(self, width: int) -> Iterator[memoryview]: ...


_FEW = 16
"""Rows are looked up one by one where there are this many times as many places."""

_NOT = -float("inf")


class Copies:
    """The int8 copies of vectors, held in memory."""

    again = True
    """Whether they can be read more than once."""

    def __init__(self, content: Content) -> None:
        self.content = memoryview(content)
        self.origin: tuple[str | None, Any, memoryview[int], memoryview[float], memoryview] | None = None
        """The file that they are of, and what stands beside them there."""

    def parts(self, width: int) -> Iterator[memoryview]:
        """Hand out all of it, in order, in whole rows of this width."""
        del width
        yield self.content


class Block(Struct, frozen=True):
    """Vectors side by side, in the order of their rows: whose each is, the scale of its int8 copy, and that copy.

    Beside them their float16 originals, unless they are looked at but once: the database has these as well.
    """

    rows: "memoryview[int]"
    scale: "memoryview[float]"
    copies: Readable
    halves: memoryview
    width: int

    def __len__(self) -> int:
        return len(self.rows)

    def scores(self, probe: scan.Probe) -> "array[float]":
        """Return what orders the vectors as their cosines with the question do."""
        scores = array("f", bytes(4 * len(self)))
        into = memoryview(scores).cast("B").cast("f")
        start = 0
        for part in self.copies.parts(self.width):
            stop = start + len(part) // self.width
            scan.rough(probe, part, into[start:stop])
            start = stop
        scan.scale_scores(scores, self.scale)
        return scores

    def places(self, rows: Collection[int]) -> list[int]:
        """Return the places of these rows."""
        if len(rows) * _FEW > len(self):
            row_set = frozenset(rows)
            return list(compress(range(len(self)), map(row_set.__contains__, self.rows)))
        return [place for row in rows for place in self._run(row)]

    def places_without(self, rows: frozenset[int]) -> Iterator[int]:
        """Return the places of all but these rows."""
        return compress(range(len(self)), map(not_, map(rows.__contains__, self.rows)))

    def of(self, row: int, place: int | None = None) -> memoryview:
        """Return the originals of a row, one of whose places may be known."""
        run, size = self._run(row) if place is None else self._run_at(place), 2 * self.width
        return self.halves[size * run.start : size * run.stop]

    def _run(self, row: int) -> range:
        start = bisect_left(self.rows, row)
        return range(start, bisect_right(self.rows, row, start))

    def _run_at(self, place: int) -> range:
        rows, row, start, stop = self.rows, self.rows[place], place, place + 1
        while start and rows[start - 1] == row:
            start -= 1
        while stop < len(rows) and rows[stop] == row:
            stop += 1
        return range(start, stop)


def empty_block(width: int) -> Block:
    """Return a block without vectors."""
    return Block(memoryview(array("q")), memoryview(array("f")), Copies(b""), memoryview(b""), width)


class _Tail:
    """What came after the base, as exact vectors. It grows at its end; what is dead stays where it is."""

    def __init__(self, width: int) -> None:
        self.rows: list[int] = []
        """The row of every place."""
        self._size = 2 * width
        self._halves = bytearray()
        self._places: dict[int, range] = {}
        self._dead: list[int] = []

    def __len__(self) -> int:
        return len(self.rows) - len(self._dead)

    def __contains__(self, row: int) -> bool:
        return row in self._places

    def __iter__(self) -> Iterator[int]:
        return iter(self._places)

    def of(self, row: int) -> bytes:
        """Return the vectors of a row."""
        run = self._places[row]
        return bytes(self._halves[self._size * run.start : self._size * run.stop])

    def drop(self, row: int) -> None:
        """Let what a row has be dead."""
        self._dead += self._places.pop(row, ())

    def append(self, row: int, halves: bytes | memoryview) -> None:
        """Put the vectors of a row behind what is there."""
        start = len(self.rows)
        self.rows += [row] * (len(halves) // self._size)
        self._halves += halves
        self._places[row] = range(start, len(self.rows))

    def best(self, row: int, scores: "array[float]") -> float:
        """Return the best of a row's cosines."""
        run = self._places[row]
        return scores[run.start] if len(run) == 1 else max(scores[run.start : run.stop])

    def scores(self, probe: scan.Probe, away: Iterable[int]) -> "array[float]":
        """Return the cosines of all places; what is dead or away is out of reach."""
        scores = scan.exact(probe, self._halves)
        for place in chain(self._dead, *(self._places[row] for row in away)):
            scores[place] = _NOT
        return scores


class Arrays:
    """The vectors of one target, searchable."""

    def __init__(self, base: Block) -> None:
        self.width = base.width
        self._base = base
        self._tail = _Tail(base.width)
        self._dead_rows: set[int] = set()
        self._dead: list[int] = []

    def __len__(self) -> int:
        return len(self._base) - len(self._dead) + len(self._tail)

    @property
    def again(self) -> bool:
        """Whether they are held in memory and can be searched once more."""
        return self.copies.again

    @property
    def copies(self) -> Readable:
        """The int8 copies of the base."""
        return self._base.copies

    def change(self, rows: Collection[int], fresh: Halves) -> None:
        """Let what these rows had be dead, and append what they have now."""
        for row in rows:
            self._tail.drop(row)
        dead_rows = set(rows) - self._dead_rows
        self._dead_rows |= dead_rows
        self._dead += self._base.places(dead_rows)
        for row, halves in fresh.items():
            self._tail.append(row, halves)

    def holds(self, rows: Collection[int]) -> bool:
        """Say whether any of these rows has a vector here."""
        return any(row in self._tail for row in rows) or bool(self._base.places(set(rows) - self._dead_rows))

    def vectors(self, rows: Iterable[int]) -> Halves:
        """Return the vectors of rows that have some, where they are held in memory."""
        return {row: halves for row in rows if (halves := self._of(row))}

    def nearest(
        self,
        probe: scan.Probe,
        limit: int,
        load_vectors: LoadVectors,
        *,
        only: frozenset[int] | None = None,
        but: frozenset[int] = frozenset(),
    ) -> RowCosines:
        """Return the rows nearest to a question with their cosines, best first.

        `only` these rows count, or all `but` those. The copies name candidates; their exact vectors decide, which
        are asked of the database where they are not held.
        """
        pool = scan.pool(limit)
        if only is not None and len(only) <= pool:
            return _best(cosines(probe, self.vectors(only) if self.again else load_vectors(only)), limit)
        old = _candidates(self._base.rows, self._base_scores(probe, only, but), limit, pool)
        exact = {row: self._base.of(row, place) for row, place in old.items()} if self.again else load_vectors(old)
        return _best({**cosines(probe, exact), **self._tail_cosines(probe, limit, pool, only, but)}, limit)

    def _tail_cosines(
        self, probe: scan.Probe, limit: int, pool: int, only: frozenset[int] | None, but: frozenset[int]
    ) -> dict[int, float]:
        """Return the nearest rows of the tail, whose vectors are exact."""
        if only is None:
            away = [row for row in but if row in self._tail] if but else []
        else:
            away = [row for row in self._tail if row not in only]
        scores = self._tail.scores(probe, away)
        return {row: self._tail.best(row, scores) for row in _candidates(self._tail.rows, scores, limit, pool)}

    def candidates(self, probe: scan.Probe, limit: int) -> list[int]:
        """Return the rows that may be the nearest, several times as many; their exact vectors are elsewhere."""
        pool = scan.pool(limit)
        old = _candidates(self._base.rows, self._base_scores(probe, None, frozenset()), limit, pool)
        new = _candidates(self._tail.rows, self._tail.scores(probe, ()), limit, pool)
        return list({**old, **new})

    def compact(self) -> Block:
        """Return the living vectors in the order of their rows, as a base. With NumPy: who asks writes a file."""
        fresh = {row: self._tail.of(row) for row in self._tail}
        if not fresh and not self._dead:
            return self._base
        halves = b"".join(fresh.values())
        copies, scale = scan.quantise(halves, self.width)
        rows = [row for row, own in fresh.items() for _ in range(len(own) // (2 * self.width))]
        tail_block = Block(
            memoryview(array("q", rows)),
            memoryview(scale).cast("f"),
            Copies(copies),
            memoryview(halves),
            self.width,
        )
        return _merge_blocks(self._base, self._dead, tail_block)

    def _of(self, row: int) -> bytes | memoryview:
        if row in self._tail:
            return self._tail.of(row)
        return b"" if row in self._dead_rows else self._base.of(row)

    def _base_scores(self, probe: scan.Probe, only: frozenset[int] | None, but: frozenset[int]) -> "array[float]":
        """Score the base; what is dead or does not count is out of reach."""
        scores = self._base.scores(probe)
        away = self._base.places(but) if only is None else self._base.places_without(only)
        for place in chain(self._dead, away):
            scores[place] = _NOT
        return scores


def cosines(probe: scan.Probe, halves: Halves) -> dict[int, float]:
    """Return the best cosine of each row."""
    values = iter(scan.exact(probe, b"".join(halves.values())))
    size = 2 * probe.width
    return {row: max(islice(values, len(own) // size)) for row, own in halves.items() if own}


def _candidates(
    rows: "list[int] | memoryview[int]", scores: "array[float]", limit: int, pool: int
) -> dict[int, int]:
    """Return rows that may be among the nearest, each with a place, from more of these until there are enough."""
    while True:
        places = [place for place in scan.top(scores, pool) if scores[place] != _NOT]
        candidates = {rows[place]: place for place in reversed(places)}
        if len(candidates) >= limit or len(places) < pool:
            return candidates
        pool *= 2


def _best(nearness: dict[int, float], limit: int) -> RowCosines:
    """Return the nearest, best first, equal ones by row."""
    return sorted(nearness.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]


def _merge_blocks(base: Block, dead: list[int], tail_block: Block) -> Block:
    """Put two blocks into one, in the order of rows, without what is dead in the first."""
    import numpy as np

    rows = np.frombuffer(bytes(base.rows) + bytes(tail_block.rows), np.int64)
    living = np.delete(np.arange(len(rows)), dead)
    order = living[np.argsort(rows[living], kind="stable")]

    def ordered(first: memoryview, second: memoryview) -> memoryview:
        """Return the column that both have, each row as so many bytes."""
        column = np.frombuffer(bytes(first) + bytes(second), np.uint8).reshape(len(rows), -1)
        return memoryview(column[order].tobytes())

    return Block(
        ordered(base.rows, tail_block.rows).cast("q"),
        ordered(base.scale.cast("B"), tail_block.scale.cast("B")).cast("f"),
        Copies(ordered(base.copies.content, tail_block.copies.content)),
        ordered(base.halves, tail_block.halves),
        base.width,
    )
