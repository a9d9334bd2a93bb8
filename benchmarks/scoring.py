"""How well a ranking answers a question."""

import math
from collections.abc import Sequence


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
