"""Exact vector search over arrays: a scan of int8 copies, then the best few scored again in f16.

Lives here: quantisation of unit vectors and the scan, as functions of arrays. Must not live here: files,
rows, filters by meaning. numkong does the int8 products where it loads (about ten times faster); NumPy
otherwise. Loads numpy on first use, so that keyword search never pays for it.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Halves = NDArray[np.float16]
    Bytes = NDArray[np.int8]
    Places = NDArray[np.intp]

SCALE = 127
OVERSAMPLING = 4
_MOST_SPARE = 150
_LEAST_POOL = 64
_BLOCK = 1024
"""Rows that NumPy widens at a time: the block stays in the cache."""


def quantise(vectors: Floats) -> Bytes:
    """Return int8 copies of vectors; each row is scaled so that its largest component is 127."""
    import numpy as np

    peaks = np.abs(vectors).max(axis=-1, keepdims=True)
    return np.rint(vectors * (SCALE / np.where(peaks > 0, peaks, 1))).astype(np.int8)


def scales(vectors: Floats) -> Floats:
    """Return what each int8 copy must be multiplied by to be its vector again."""
    import numpy as np

    peaks: Floats = (np.abs(vectors).max(axis=-1) / SCALE).astype(np.float32)
    return peaks


def unit(vectors: Floats) -> Floats:
    """Return the vectors scaled to length 1; a zero vector stays zero."""
    import numpy as np

    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    scaled: Floats = (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    return scaled


def pool(limit: int) -> int:
    """Say how many rows to score again: four times the limit; of a long list only the end can be wrong."""
    return max(min(limit * OVERSAMPLING, limit + _MOST_SPARE), _LEAST_POOL)


def top(scores: Floats, count: int) -> Places:
    import numpy as np

    if count >= len(scores):
        return np.arange(len(scores))
    return np.argpartition(scores, len(scores) - count)[len(scores) - count :]


def rough(query: Bytes, rows: Bytes, scale: Floats) -> Floats:
    """Return what orders rows as their cosines with the query do, from the int8 copies alone."""
    kernel = _numkong()
    return _with_numpy(query, rows, scale) if kernel is None else _with_numkong(kernel, query, rows, scale)


@cache
def _numkong() -> Any:
    """Return numkong, or nothing where it has no build or its build does not load."""
    try:
        import numkong
    except (ImportError, OSError):
        return None
    return numkong


def _with_numkong(numkong: Any, query: Bytes, rows: Bytes, scale: Floats) -> Floats:
    """Multiply by numkong: half the time of its `angular`, which would find each row's length anew."""
    import numpy as np

    if not len(rows):
        return np.empty(0, np.float32)
    products = np.asarray(numkong.cdist(query.reshape(1, -1), rows, "dot"))[0]
    scores: Floats = np.multiply(products, scale, dtype=np.float32, casting="same_kind")
    return scores


def rescored(query: Floats, rows: Halves) -> Floats:
    import numpy as np

    kernel = _numkong()
    if kernel is None or not len(rows):
        return rows.astype(np.float32) @ query
    products = kernel.cdist(query.astype(np.float16).reshape(1, -1), rows, "dot")
    cosines: Floats = np.asarray(products)[0].astype(np.float32)
    return cosines


def _with_numpy(query: Bytes, rows: Bytes, scale: Floats) -> Floats:
    import numpy as np

    wanted = query.astype(np.float32)
    scores = np.empty(len(rows), np.float32)
    for start in range(0, len(rows), _BLOCK):
        scores[start : start + _BLOCK] = rows[start : start + _BLOCK].astype(np.float32) @ wanted
    return scores * scale
