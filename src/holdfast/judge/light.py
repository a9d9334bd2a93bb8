"""The light judge: linear over hashed features, its weights mapped from a file, in plain Python.

Lives here: the file and the sums. Must not live here: what is summed (`sentence_features`, `pair_features`), and
training (`scripts/judge/light.py`). Light: a hook asks it for every prompt. The file is little-endian:

    0    8 bytes   "HFJUDG1\\0"
    8    2 x u32   bits of a feature's number that count, for sentences and for pairs
    16   8 x 2 f64 for each head its bias and what its weights are multiplied by, calibrated:
                   lasts, must, working, context; same, replaces, near, other
    144  i16       the weights, head by head: 4 x 2**bits of sentences, then 4 x 2**bits of pairs
"""

import mmap
import os
import struct
from collections.abc import Sequence
from math import exp

from holdfast.judge import Relation, Sentence, Verdict, unusable
from holdfast.judge.sentence_features import Group, groups_of
from holdfast.judge.thresholds import LIGHT

FILE = os.path.join(os.path.dirname(__file__), "light.bin")
MAGIC = b"HFJUDG1\0"
HEADER = struct.Struct("<8s2I16d")
HEADS = 4
"""Heads of sentences, and of pairs."""


class LightJudge:
    """Weighs sentences and pairs by adding up the weights of their features."""

    limits = LIGHT

    def __init__(self, path: str = FILE) -> None:
        data = _map_file(path)
        _, sentence_bits, pair_bits, *numbers = HEADER.unpack_from(data)
        heads = list(zip(numbers[::2], numbers[1::2], strict=True))
        weights = data[HEADER.size :]
        middle = 2 * HEADS << sentence_bits
        if len(weights) != middle + (2 * HEADS << pair_bits):
            raise unusable(f"{os.path.basename(path)} is cut short")
        self._sentences = _Linear(weights[:middle], sentence_bits, heads[:HEADS])
        self._pairs = _Linear(weights[middle:], pair_bits, heads[HEADS:])

    def lasts(self, sentences: Sequence[Sentence]) -> list[Verdict]:
        """Weigh sentences, each in its own place."""
        return [self._verdict(sentence) for sentence in sentences]

    def relates(self, pairs: Sequence[tuple[str, str]]) -> list[Relation]:
        """Weigh pairs of statements, the older one first."""
        from holdfast.judge import pair_features  # its table of meanings is not needed for sentences

        return [_relation(self._pairs.logits(pair_features.groups_of(*pair))) for pair in pairs]

    def _verdict(self, sentence: Sentence) -> Verdict:
        if not sentence.text.strip():
            return Verdict(0.0, 0.0, 0.0, 0.0)
        lasts, must, working, context = map(_sigmoid, self._sentences.logits(groups_of(sentence)))
        return Verdict(lasts, min(lasts, must), working, context)


class _Linear:
    """Four linear heads over one space of features."""

    def __init__(self, weights: memoryview, bits: int, heads: list[tuple[float, float]]) -> None:
        size = 2 << bits
        self._weights = [weights[head * size : (head + 1) * size].cast("h") for head in range(HEADS)]
        self._mask = (1 << bits) - 1
        self._heads = heads

    def logits(self, groups: list[Group]) -> list[float]:
        """Add up the weights of all features, group by group."""
        mask = self._mask
        places = [(scale, [number & mask for number in numbers]) for scale, numbers in groups]
        return [
            bias + factor * sum([scale * sum(map(weights.__getitem__, numbers)) for scale, numbers in places])
            for weights, (bias, factor) in zip(self._weights, self._heads, strict=True)
        ]


def _sigmoid(logit: float) -> float:
    return 1 / (1 + exp(-max(-30.0, min(30.0, logit))))


def _relation(logits: list[float]) -> Relation:
    highest = max(logits)
    powers = [exp(logit - highest) for logit in logits]
    total = sum(powers)
    same, replaces, near, other = (power / total for power in powers)
    return Relation(same, replaces, near, other)


def _map_file(path: str) -> memoryview:
    """Map the file; raise ModelUnusable where it is missing, empty or of another kind."""
    try:
        with open(path, "rb") as file:
            data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except (OSError, ValueError) as error:
        raise unusable(f"{os.path.basename(path)} cannot be read ({error})") from error
    if len(data) < HEADER.size or data[: len(MAGIC)] != MAGIC:
        raise unusable(f"{os.path.basename(path)} is no light judge")
    return data
