"""How well a ranking answers a question."""

import math
from collections.abc import Sequence

TIED = 1e-6
"""How near two scores are of which neither is better."""


def recall(ranking: Sequence[str], answers: frozenset[str], at: int) -> float:
    """Return the share of the answers among the first hits."""
    return len(answers.intersection(ranking[:at])) / len(answers)


def any_at(ranking: Sequence[str], answers: frozenset[str], at: int) -> float:
    """Return 1 when some answer is among the first hits."""
    return float(bool(answers.intersection(ranking[:at])))


def all_at(ranking: Sequence[str], answers: frozenset[str], at: int) -> float:
    """Return 1 when every answer is among the first hits."""
    return float(answers.issubset(ranking[:at]))


def ndcg(ranking: Sequence[str], answers: frozenset[str], at: int) -> float:
    """Return the discounted gain against that of a perfect ranking."""
    gain = sum(1 / math.log2(rank + 2) for rank, one in enumerate(ranking[:at]) if one in answers)
    return gain / sum(1 / math.log2(rank + 2) for rank in range(min(at, len(answers))))


def reciprocal(ranking: Sequence[str], answers: frozenset[str]) -> float:
    """Return one over the rank of the first answer."""
    return next((1 / rank for rank, one in enumerate(ranking, 1) if one in answers), 0.0)


def overlap(one: Sequence[tuple[str, float]], other: Sequence[tuple[str, float]]) -> float:
    """Return the share of one ranking's keys that the other has, or left out for one that scores the same."""
    if not one and not other:
        return 1.0
    keys, least = {key for key, _ in other}, min((score for _, score in other), default=math.inf)
    shared = sum(key in keys or abs(score - least) <= TIED for key, score in one)
    return shared / max(len(one), len(other))
