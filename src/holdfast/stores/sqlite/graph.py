"""The graph (HNSW, by usearch) over one target's vectors: for stores so large that scanning all is slow.

It is a shortcut, never the truth: what it finds is scored again from the arrays, and where it is missing, foreign
or damaged the arrays are scanned. A key is a row and the number of its chunk. Importing this module is light; a
graph is not, and needs NumPy.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from holdfast.stores.arrays import Halves
from holdfast.stores.sqlite import sidecar
from holdfast.stores.sqlite.sidecar import Identity

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from holdfast.model.vectors import Vector

    Keys = NDArray[np.uint64]

CONNECTIVITY = 16
"""Neighbours that a vector is tied to."""

EXPANSION_ADD = 200
"""Candidates that are looked at when a vector is put in: more make a better graph and take longer."""

EXPANSION_SEARCH = 128
"""The same when something is looked for."""

SAVE_EVERY = 100
"""Changes after which the graph is written, or one in a thousand of a large one."""

_CHUNK_BITS = 20
"""Bits of a key that number the chunks of a row."""


class Graph:
    """Finds near rows without looking at all of them."""

    def __init__(self, path: str) -> None:
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
        whole = sidecar.read(self.path)
        if whole is None or whole.header.identity != identity or whole.header.nonce != nonce:
            return
        if whole.header.position > head:
            return
        index = _new(identity.dimensions)
        try:
            if index is not None:
                index.load(whole.body)
        except RuntimeError:
            return
        self._index, self.position = index, whole.header.position

    def build(self, vectors: Halves, width: int, position: int) -> None:
        """Make the graph from all vectors."""
        self._index = _new(width)
        if self._index is not None:
            self.unsaved, self.position = self._add(vectors, width), position

    def change(self, rows: Sequence[int], fresh: Halves, width: int, position: int) -> None:
        """Take out whatever these rows had and put in what they have."""
        keys = self._keys_of(rows)
        if len(keys):
            self._index.remove(keys)
        self.unsaved += len(keys) + self._add(fresh, width)
        self.position = position

    def _add(self, vectors: Halves, width: int) -> int:
        """Put the vectors of rows in, the chunks of each numbered; return how many there are."""
        import numpy as np

        keys = [
            row << _CHUNK_BITS | chunk
            for row, halves in vectors.items()
            for chunk in range(len(halves) // (2 * width))
        ]
        if keys:
            exact = np.frombuffer(b"".join(vectors.values()), np.float16).reshape(len(keys), width)
            self._index.add(np.array(keys, np.uint64), exact, threads=1)
        return len(keys)

    def nearest(self, vector: "Vector", limit: int) -> list[int]:
        """Return near rows, each once."""
        import numpy as np

        probe = np.frombuffer(vector, np.float32)
        matches = self._index.search(probe, max(2 * limit, EXPANSION_SEARCH))
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

    def _keys_of(self, rows: Sequence[int]) -> "Keys":
        """Return the keys of these rows that it holds: chunks are numbered without a gap."""
        import numpy as np

        batches: list[Keys] = []
        keys = np.array(rows, np.uint64) << np.uint64(_CHUNK_BITS)
        while len(keys):
            keys = keys[self._index.contains(keys)]
            batches.append(keys)
            keys = keys + np.uint64(1)
        return np.concatenate(batches) if batches else keys


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
