"""Exact vector search over buffers: a scan of int8 copies, then the best few scored again in float16.

Lives here: quantisation of unit vectors and the scan, as functions of buffers. Must not live here: files, rows,
filters by meaning. numkong does the products where it loads, and needs no NumPy for it: a process that only asks
does without the 60 to 130 ms that importing NumPy takes. Where numkong has no build NumPy stands in. Light.
"""

import sys
from _thread import get_ident
from array import array
from functools import cache
from heapq import nlargest
from struct import pack
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from holdfast.model.vectors import Floats, Vector

Content = bytes | bytearray | memoryview

PEAK = 127
"""The largest component of every int8 copy."""

OVERSAMPLING = 4
"""Rows that are scored again for each that is wanted: int8 copies order rows nearly as their originals do."""

_MOST_SPARE = 150
_LEAST_POOL = 64
"""Rows beyond those wanted that are scored again at most, and how many at least, however few are wanted."""

_STRIDE = 32
"""Scores of which NumPy looks at the best first: most strides are passed over."""

_BLOCK = 1_024
"""Rows that NumPy widens at a time: the block stays in the cache."""


class Probe:
    """A question's vector in the forms that rows are compared with."""

    __slots__ = ("half", "whole", "width")

    def __init__(self, vector: "Vector") -> None:
        components = memoryview(vector).tolist()  # type: ignore[arg-type]  # an array is a buffer, whatever its stubs
        self.width = len(components)
        peak = max(map(abs, components), default=0.0) or 1.0
        self.whole = array("b", [round(component * (PEAK / peak)) for component in components])
        self.half = pack(f"{self.width}e", *components)


def pool(limit: int) -> int:
    """Say how many rows to score again: four times the limit; of a long list only the end can be wrong."""
    return max(min(limit * OVERSAMPLING, limit + _MOST_SPARE), _LEAST_POOL)


def top(scores: "array[float]", count: int) -> list[int]:
    """Return the places of the highest scores, best first."""
    if count <= 0:
        return []
    if scores and has_numpy():
        return _top_with_numpy(scores, count)
    return nlargest(count, range(len(scores)), key=scores.__getitem__)


def _top_with_numpy(scores: "array[float]", count: int) -> list[int]:
    """The same at a tenth of the cost, where NumPy is there anyway; equal scores in the order of their places.

    The best scores of so many strides are so many scores: none of the highest is less than the least of these.
    """
    import numpy as np

    values = np.frombuffer(scores, np.float32)
    strides = len(values) // _STRIDE
    if strides > count:
        peaks = values[: strides * _STRIDE].reshape(strides, _STRIDE).max(axis=1)
        least = np.partition(peaks, strides - count)[strides - count]
        places = np.flatnonzero(values >= least)
    else:
        places = np.arange(len(values))
    best: list[int] = places[np.argsort(-values[places], kind="stable")[:count]].tolist()
    return best


def rough(probe: Probe, copies: Content, into: "memoryview[float]") -> None:
    """Write the product of the question with each int8 copy; times its scale it orders rows as cosines do."""
    if not len(into):
        return
    kernel = _numkong()
    if kernel is None:
        _rough_with_numpy(probe, copies, into)
        return
    # Half the time of its `angular`, which would find each row's length anew.
    probe_vector = memoryview(probe.whole).cast("B").cast("b", (1, probe.width))
    rows = memoryview(copies).cast("b", (len(into), probe.width))
    kernel.cdist(probe_vector, rows, "dot", out=into.cast("B").cast("f", (1, len(into))))


def scale_scores(scores: "array[float]", scale: "memoryview[float]") -> None:
    """Multiply scores by the scales of their copies."""
    if not scores:
        return
    kernel = _numkong()
    if kernel is not None:
        kernel.multiply(memoryview(scores), scale, out=memoryview(scores))
        return
    import numpy as np

    values = np.frombuffer(scores, np.float32)
    np.multiply(values, np.frombuffer(scale.cast("B"), np.float32), values)


def exact(probe: Probe, halves: Content) -> "array[float]":
    """Return the cosine of the question with each float16 vector."""
    count = len(halves) // (2 * probe.width)
    cosines = array("f", bytes(4 * count))
    kernel = _numkong()
    if not count:
        return cosines
    if kernel is None:
        return _exact_with_numpy(probe, halves)
    # A memoryview knows no half floats; numkong is told that these are.
    probe_vector = memoryview(probe.half).cast("H", (1, probe.width))
    rows = memoryview(halves).cast("B").cast("H", (count, probe.width))
    into = memoryview(cosines).cast("B").cast("f", (1, count))
    kernel.cdist(probe_vector, rows, "dot", dtype="float16", out=into)
    return cosines


def quantise(halves: Content, width: int) -> tuple[bytes, bytes]:
    """Return int8 copies of float16 vectors, and as float32 what each must be multiplied by to be itself again.

    Each is scaled so that its largest component is 127. With NumPy: only who makes a sidecar needs it.
    """
    import numpy as np

    vectors = np.frombuffer(halves, np.float16).reshape(-1, width)
    copies, scale = np.empty(vectors.shape, np.int8), np.empty(len(vectors), np.float32)
    for start in range(0, len(vectors), _BLOCK):
        part = vectors[start : start + _BLOCK].astype(np.float32)
        peaks = np.abs(part).max(axis=1)
        copies[start : start + _BLOCK] = np.rint(part * (PEAK / np.where(peaks > 0, peaks, 1))[:, None])
        scale[start : start + _BLOCK] = peaks / PEAK
    return copies.tobytes(), scale.tobytes()


def unit(vectors: "Floats") -> "Floats":
    """Return the vectors scaled to length 1; a zero vector stays zero."""
    import numpy as np

    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    unit_vectors: Floats = (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    return unit_vectors


def has_numpy() -> bool:
    """Say whether this process has paid for NumPy already."""
    return "numpy" in sys.modules


def _rough_with_numpy(probe: Probe, copies: Content, into: "memoryview[float]") -> None:
    import numpy as np

    probe_vector = np.frombuffer(probe.whole, np.int8).astype(np.float32)
    rows = np.frombuffer(copies, np.int8).reshape(-1, probe.width)
    scores = np.frombuffer(into.cast("B"), np.float32)
    for start in range(0, len(rows), _BLOCK):
        scores[start : start + _BLOCK] = rows[start : start + _BLOCK].astype(np.float32) @ probe_vector


def _exact_with_numpy(probe: Probe, halves: Content) -> "array[float]":
    import numpy as np

    probe_vector = np.frombuffer(probe.half, np.float16).astype(np.float32)
    rows = np.frombuffer(halves, np.float16).reshape(-1, probe.width)
    # Not a matrix product: that may give equal rows unequal sums.
    return array("f", (rows.astype(np.float32) * probe_vector).sum(axis=1).tobytes())


@cache
def _numkong() -> Any:
    """Return numkong, or nothing where it has no build or its build does not load.

    It imports NumPy if it can, but works on any buffer: where NumPy is not loaded yet it is kept out.
    """
    keeper = _WithoutNumpy()
    sys.meta_path.insert(0, keeper)
    try:
        import numkong
    except (ImportError, OSError):
        return None
    finally:
        sys.meta_path.remove(keeper)
    return numkong


class _WithoutNumpy:
    """Hides NumPy from what one thread imports; others may be importing it just then."""

    def __init__(self) -> None:
        self._thread = get_ident()

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """Refuse NumPy to this thread."""
        if name == "numpy" and get_ident() == self._thread:
            raise ModuleNotFoundError("numpy is kept out", name=name)
