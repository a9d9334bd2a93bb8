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


class Arrays:
    """The vectors of one target, searchable."""

    def __init__(self, base: Block) -> None:
        self._base = base
        self._tail, self._dead = _begun(base)

    def __len__(self) -> int:
        return len(self._base) + len(self._tail) - int(self._dead.sum())

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
            self._tail = _joined(self._tail, fresh)
            self._dead = np.concatenate([self._dead, np.zeros(len(fresh), np.bool_)])
        if len(self._tail) > max(LONGEST_TAIL, len(self._base) // 10):
            self._base = self.compact()
            self._tail, self._dead = _begun(self._base)

    def compact(self) -> Block:
        """Return the living vectors in the order of their rows."""
        import numpy as np

        if not len(self._tail) and not self._dead.any():
            return self._base
        whole = _joined(self._base, self._tail)
        living = np.flatnonzero(~self._dead)
        order = living[np.argsort(whole.rows[living], kind="stable")]
        return Block(whole.rows[order], whole.scale[order], whole.whole[order], whole.exact[order])

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
        if counting is not None and counting.sum() * SPARSE < len(counting):
            places = np.flatnonzero(counting)
            whole, scale = self._gather(places, "whole"), self._gather(places, "scale")
            scores = scan.rough(scan.quantise(query), whole, scale)
        else:
            places = None
            scores = self._rough(query)
            if counting is not None:
                scores[~counting] = -np.inf
        most = len(scores) if counting is None else int(counting.sum())
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


def _begun(base: Block) -> "tuple[Block, Mask]":
    """Return the tail and the dead of a base to which nothing has happened yet."""
    import numpy as np

    return Block(base.rows[:0], base.scale[:0], base.whole[:0], base.exact[:0]), np.zeros(len(base), np.bool_)


def _joined(one: Block, other: Block) -> Block:
    import numpy as np

    if not len(one):
        return other
    return Block(
        np.concatenate([one.rows, other.rows]),
        np.concatenate([one.scale, other.scale]),
        np.concatenate([one.whole, other.whole]),
        np.concatenate([one.exact, other.exact]),
    )
