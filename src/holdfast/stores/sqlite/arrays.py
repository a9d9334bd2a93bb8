"""One target's vectors as arrays in this process: a base, a tail of what came later, and what is dead in both.

Lives here: which place holds which row, and the search over places. Must not live here: SQL and files.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.embedding import scan

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from holdfast.embedding.scan import Bytes, Floats, Halves, Places

    Rows = NDArray[np.int64]
    Mask = NDArray[np.bool_]

SPARSE = 4
"""When fewer than one place in this many may be found, those are gathered and the rest is not scanned."""

LONGEST_TAIL = 2_000


@dataclass(frozen=True, slots=True)
class Block:
    """Vectors side by side: whose each is, the scale of its int8 copy, that copy, its float16 original.

    Ordered by row in a base.
    """

    rows: "Rows"
    scale: "Floats"
    whole: "Bytes"
    exact: "Halves"

    def __len__(self) -> int:
        return len(self.rows)


def make_block(rows: "list[int]", embeddings: "list[bytes]", dimensions: int) -> Block:
    """Put stored float16 vectors into a block."""
    import numpy as np

    exact = np.frombuffer(b"".join(embeddings), np.float16).reshape(len(rows), dimensions)
    whole, scale = np.empty(exact.shape, np.int8), np.empty(len(rows), np.float32)
    for start in range(0, len(rows), 4_096):
        part = exact[start : start + 4_096].astype(np.float32)
        whole[start : start + 4_096], scale[start : start + 4_096] = scan.quantise(part), scan.scales(part)
    return Block(np.array(rows, np.int64), scale, whole, exact)


class _Tail:
    """A block that grows at its end. It has room to spare, so that a write costs no copy of what is there."""

    def __init__(self, like: Block) -> None:
        self._room = _part(like, slice(0))
        self.block = self._room

    def append(self, fresh: Block) -> None:
        """Put a block behind what is there."""
        end = len(self.block) + len(fresh)
        if end > len(self._room):
            self._room = _room_for(self.block, 2 * end)
        _write(self._room, slice(len(self.block), end), fresh)
        self.block = _part(self._room, slice(end))


class Arrays:
    """The vectors of one target, searchable."""

    def __init__(self, base: Block) -> None:
        self._base = base
        self._grown, self._dead = _begun(base)

    def __len__(self) -> int:
        return len(self._base) + len(self._tail) - _count(self._dead)

    @property
    def _tail(self) -> Block:
        return self._grown.block

    @property
    def rows(self) -> "Rows":
        """The row of every place, dead ones included."""
        import numpy as np

        return np.concatenate([self._base.rows, self._tail.rows]) if len(self._tail) else self._base.rows

    def change(self, rows: "Rows", fresh: Block) -> None:
        """Let what these rows had be dead, and append what they have now."""
        import numpy as np

        self._dead[self.places(rows)] = True
        if len(fresh):
            self._grown.append(fresh)
            self._dead = np.concatenate([self._dead, np.zeros(len(fresh), np.bool_)])
        if len(self._tail) > max(LONGEST_TAIL, len(self._base) // 10):
            self._base = self.compact()
            self._grown, self._dead = _begun(self._base)

    def compact(self) -> Block:
        """Return the living vectors in the order of their rows."""
        import numpy as np

        tail = self._tail
        if not len(tail) and not self._dead.any():
            return self._base
        whole = _room_for(self._base, len(self._base) + len(tail))
        _write(whole, slice(len(self._base), len(whole)), tail)
        living = np.flatnonzero(~self._dead)
        return _part(whole, living[np.argsort(whole.rows[living], kind="stable")])

    def places(self, rows: "Rows") -> "Places":
        """Return the living places of these rows."""
        import numpy as np

        wanted = np.unique(rows)
        first = np.searchsorted(self._base.rows, wanted, "left")
        last = np.searchsorted(self._base.rows, wanted, "right")
        counts = last - first
        starts = np.repeat(first - np.cumsum(counts) + counts, counts)
        found: Places = starts + np.arange(len(starts))
        if len(self._tail):
            tail = np.flatnonzero(np.isin(self._tail.rows, wanted)) + len(self._base)
            found = np.concatenate([found, tail])
        return found[~self._dead[found]]

    def nearest(self, query: "Floats", limit: int, open_to: "Mask | None") -> "list[tuple[int, float]]":
        """Return the rows nearest to the query with their cosines, best first; `open_to` marks who counts."""
        import numpy as np

        counting = self._counting(open_to)
        if counting is not None and _count(counting) * SPARSE < len(counting):
            places = np.flatnonzero(counting)
            whole, scale = self._gather(places, "whole"), self._gather(places, "scale")
            scores = scan.rough(scan.quantise(query), whole, scale)
        else:
            places = None
            scores = self._rough(query)
            if counting is not None:
                scores[~counting] = -np.inf
        most = len(scores) if counting is None else _count(counting)
        return self._best(query, scores, places, limit, most)

    def cosines(self, query: "Floats", rows: "Rows") -> "dict[int, float]":
        """Return the best cosine of each of these rows that has vectors."""
        places = self.places(rows)
        return dict(self._by_row(places, self._rescored(query, places), len(rows)))

    def _counting(self, open_to: "Mask | None") -> "Mask | None":
        if open_to is None:
            return ~self._dead if self._dead.any() else None
        return open_to & ~self._dead

    def _best(
        self, query: "Floats", scores: "Floats", places: "Places | None", limit: int, most: int
    ) -> "list[tuple[int, float]]":
        """Score the best places again, more of them until enough rows are among them: a row has several."""
        pool = scan.pool(limit)
        while True:
            kept = scan.top(scores, min(pool, most))
            chosen = kept if places is None else places[kept]
            found = self._by_row(chosen, self._rescored(query, chosen), limit)
            if len(found) >= limit or pool >= most:
                return found
            pool *= 2

    def _by_row(self, places: "Places", cosines: "Floats", limit: int) -> "list[tuple[int, float]]":
        """Return the best cosine of each row, best first, equal ones by row."""
        import numpy as np

        rows = self._rows_at(places)
        order = np.lexsort((rows, -cosines))
        best: dict[int, float] = {}
        for row, cosine in zip(rows[order].tolist(), cosines[order].tolist(), strict=True):
            best.setdefault(row, cosine)
            if len(best) == limit:
                break
        return list(best.items())

    def _rows_at(self, places: "Places") -> "Rows":
        import numpy as np

        base = len(self._base)
        if not len(self._tail):
            return self._base.rows[places]
        inside = np.minimum(places, max(base - 1, 0))
        rows = self._base.rows[inside] if base else np.empty(len(places), np.int64)
        beyond = places >= base
        rows[beyond] = self._tail.rows[places[beyond] - base]
        return rows

    def _gather(self, places: "Places", copy: str) -> Any:
        import numpy as np

        base = len(self._base)
        inside, beyond = places[places < base], places[places >= base] - base
        first, second = getattr(self._base, copy)[inside], getattr(self._tail, copy)[beyond]
        if not len(second):
            return first
        joined = np.empty((len(places), *first.shape[1:]), first.dtype)
        joined[places < base], joined[places >= base] = first, second
        return joined

    def _rough(self, query: "Floats") -> "Floats":
        import numpy as np

        wanted = scan.quantise(query)
        scores = scan.rough(wanted, self._base.whole, self._base.scale)
        if not len(self._tail):
            return scores
        return np.concatenate([scores, scan.rough(wanted, self._tail.whole, self._tail.scale)])

    def _rescored(self, query: "Floats", places: "Places") -> "Floats":
        return scan.rescored(query, self._gather(places, "exact"))


def _begun(base: Block) -> "tuple[_Tail, Mask]":
    """Return the tail and the dead of a base to which nothing has happened yet."""
    import numpy as np

    return _Tail(base), np.zeros(len(base), np.bool_)


def _count(mask: "Mask") -> int:
    import numpy as np

    return int(np.count_nonzero(mask))  # a sum would widen every bit


def _part(block: Block, places: "slice | Places") -> Block:
    return Block(block.rows[places], block.scale[places], block.whole[places], block.exact[places])


def _room_for(block: Block, count: int) -> Block:
    """Return a block with room for so many, which begins as another does."""
    import numpy as np

    whole, exact = (
        np.empty((count, block.whole.shape[1]), np.int8),
        np.empty((count, block.exact.shape[1]), np.float16),
    )
    room = Block(np.empty(count, np.int64), np.empty(count, np.float32), whole, exact)
    _write(room, slice(len(block)), block)
    return room


def _write(into: Block, places: slice, block: Block) -> None:
    into.rows[places], into.scale[places] = block.rows, block.scale
    into.whole[places], into.exact[places] = block.whole, block.exact
