"""The embedder of last resort: TF-IDF folded into 256 buckets by FNV-1a.

Lives here: words, buckets and the fixed idf table, so that the same text gives the same vector on every
machine and in every store. Must not live here: anything learned from a store. It knows no meaning, only
shared words; it serves where onnxruntime cannot be installed. Pure Python; texts in bulk become a NumPy array.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from math import log, sqrt
from typing import TYPE_CHECKING

from holdfast.embedding.common_words import idf
from holdfast.model.patterns import regex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MODEL = "hashing-fnv1a-v1"
DIMENSIONS = 256
_STOP_TEXT = """
a about after all also am an and any are as at be been before being but by can could did do does doing
down during each else few for from further had has have having he her here hers him his how i if in into
is it its itself just me more most my no nor not now of off on once only or other our ours out over own
same she should so some such than that the their theirs them then there these they this those through to
too under until up very was we were what when where which while who whom whose why will with would you
your yours
"""
STOP_WORDS = frozenset(_STOP_TEXT.split())
"""Part of the model: its own list, because vectors that stores keep were made with it."""

_WORD = regex(r"[^\W_]+")
_HUMP = regex(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
"""Between the words of camelCase, and between an abbreviation and the word after it."""


class Hashing:
    """Embeds texts by their words alone, the same everywhere and without any model."""

    model = MODEL
    dimensions = DIMENSIONS

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row per text."""
        import numpy as np

        rows = np.zeros((len(texts), DIMENSIONS), np.float32)
        for place, text in enumerate(texts):
            rows[place] = vector(text)
        return rows

    def embed_query(self, text: str) -> array[float]:
        """Return the vector of one text."""
        return array("f", vector(text))


def vector(text: str) -> list[float]:
    """Return the text's 256 numbers, of length 1; all zero when it has no words but stop words."""
    buckets = [0.0] * DIMENSIONS
    for word, count in Counter(words(text)).items():
        if word in STOP_WORDS:
            continue
        place, sign = bucket(word)
        buckets[place] += sign * (1 + log(count)) * idf(word)
    length = sqrt(sum(value * value for value in buckets))
    return [value / length for value in buckets] if length else buckets


def words(text: str) -> list[str]:
    """Split a text into lower-case words; camelCase, snake_case and dotted names fall into their parts."""
    return [part.lower() for word in _WORD.findall(text) for part in _HUMP.split(word)]


def fnv1a(data: bytes) -> int:
    """Return the 64-bit FNV-1a hash."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return value


@lru_cache(maxsize=65_536)
def bucket(word: str) -> tuple[int, int]:
    """Return a word's place and sign; signs let collisions cancel instead of adding up."""
    value = fnv1a(word.encode("utf-8", "surrogatepass"))
    return value % DIMENSIONS, 1 if value >> 63 else -1
