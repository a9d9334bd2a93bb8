"""The graph (HNSW, by usearch) over one target's vectors: for stores so large that scanning all is slow.

It is a shortcut, never the truth: what it finds is scored again from the arrays, and where it is missing, foreign
or damaged the arrays are scanned. A key is a row and the number of its chunk.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast.stores.sqlite import sidecar
from holdfast.stores.sqlite.sidecar import Identity

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from holdfast.embedding.scan import Floats
    from holdfast.stores.sqlite.arrays import Block, Rows

    Keys = NDArray[np.uint64]

CONNECTIVITY = 16
EXPANSION_ADD = 200
EXPANSION_SEARCH = 128
SAVE_EVERY = 100
_CHUNK_BITS = 20


class Graph:
    """Finds near rows without looking at all of them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.position = 0
        """The last change of the store that it knows: it may be older or newer than the arrays' own file."""
        self.unsaved = 0
        self._index: Any = None

    @property
    def ready(self) -> bool:
        """Whether it can be asked."""
        return self._index is not None

    @property
    def due(self) -> bool:
        """Whether it should be saved; a large graph less often, because it is written whole."""
        return self.ready and self.unsaved >= max(SAVE_EVERY, len(self._index) // 1_000)

    def load(self, identity: Identity, nonce: object, head: int) -> None:
        """Take the graph from its file if that is this store's and no newer than it."""
        found = sidecar.read(self.path)
        if found is None or found.header.identity != identity or found.header.nonce != nonce:
            return
        if found.header.position > head:
            return
        index = _new(identity.dimensions)
        try:
            if index is not None:
                index.load(found.buffer[found.start :])
        except RuntimeError:
            return
        self._index, self.position = index, found.header.position

    def build(self, block: "Block", position: int) -> None:
        """Make the graph from all vectors."""
        self._index = _new(block.exact.shape[1])
        if self._index is not None:
            self._index.add(_keys(block.rows), block.exact, threads=1)
            self.unsaved, self.position = len(block), position

    def change(self, changed: "Rows", fresh: "Block", position: int) -> None:
        """Take out whatever these rows had and put in what they have."""
        gone = self._held(changed)
        if len(gone):
            self._index.remove(gone)
        if len(fresh):
            self._index.add(_keys(fresh.rows), fresh.exact, threads=1)
        self.unsaved += len(gone) + len(fresh)
        self.position = position

    def nearest(self, query: "Floats", limit: int) -> list[int]:
        """Return near rows, each once."""
        matches = self._index.search(query, max(2 * limit, EXPANSION_SEARCH))
        return list(dict.fromkeys((matches.keys >> _CHUNK_BITS).tolist()))

    def body(self) -> memoryview:
        """Return the graph as the body of its file."""
        return memoryview(self._index.save())

    def saved(self) -> None:
        """Note that the file is up to date."""
        self.unsaved = 0

    def drop(self) -> None:
        """Let go of the graph."""
        self._index = None
        self.unsaved = self.position = 0

    def _held(self, rows: "Rows") -> "Keys":
        """Return the keys of these rows that it holds: chunks are numbered without a gap."""
        import numpy as np

        held: list[Keys] = []
        asked = rows.astype(np.uint64) << np.uint64(_CHUNK_BITS)
        while len(asked):
            asked = asked[self._index.contains(asked)]
            held.append(asked)
            asked = asked + np.uint64(1)
        return np.concatenate(held) if held else asked


def _new(dimensions: int) -> Any:
    """Make an empty graph; None where usearch is not installed or does not load."""
    try:
        from usearch.index import Index
    except (ImportError, OSError):
        return None
    return Index(
        ndim=dimensions,
        metric="cos",
        dtype="f16",
        connectivity=CONNECTIVITY,
        expansion_add=EXPANSION_ADD,
        expansion_search=EXPANSION_SEARCH,
    )


def _keys(rows: "Rows") -> "Keys":
    """Number the chunks of each row; the chunks of a row stand together."""
    import numpy as np

    starts = np.flatnonzero(np.r_[True, rows[1:] != rows[:-1]])
    chunk = np.arange(len(rows)) - np.repeat(starts, np.diff(np.r_[starts, len(rows)]))
    keys: Keys = (rows.astype(np.uint64) << np.uint64(_CHUNK_BITS)) | chunk.astype(np.uint64)
    return keys
