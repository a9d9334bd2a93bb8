"""Keyword scores from plain counts, comparable across stores: the counts are summed before anything is scored.

The formula lives here alone; stores only count. `score` is BM25 as a share of the most that the query could score,
so that 1 means the same for every query and no pool of junk is stretched to 1; `coverage` is how much of the query
the document holds at all: the share of its idf, or of its words where that is more (in a small store an unknown
word would outweigh all that is known).
"""

import math
from collections.abc import Sequence

from holdfast.model.search import Candidate, Matches
from holdfast.model.value import Value


class Shape(Value):
    """How fast a repeated term stops counting (k1), and how much a long document pays (b)."""

    k1: float = 1.2
    b: float = 0.75


MEMORIES = SESSIONS = Shape()
TURNS = Shape(b=0.25)
"""Turns are short, and a longer one is no less about its words: .03 R@5 better than FTS5's fixed .75."""


class Scored(Value):
    """A candidate with its place among the stores and its scores."""

    store: int
    id: str
    score: float
    coverage: float
    rarity: float = 1.0
    """How rare the query's words are on average: 1 when each stands in a single document."""


def score(matches: Sequence[Matches], shape: Shape = MEMORIES) -> list[Scored]:
    """Score the candidates of all stores together, best first; equal ones in the order they came."""
    idf = _pooled_idf(matches)
    total = sum(idf)
    tokens = sum(found.tokens for found in matches)
    if not total or not tokens:
        return []
    weights = _Weights(
        idf=idf,
        total=total,
        searched=sum(weight > 0 for weight in idf),
        rarity=_rarity(idf, sum(found.documents for found in matches)),
        average=tokens / sum(found.documents for found in matches if found.tokens),
    )
    scored = [
        _scored(place, candidate, weights, shape)
        for place, found in enumerate(matches)
        for candidate in found.candidates
    ]
    return sorted(scored, key=lambda one: -one.score)


class _Weights(Value):
    """What the words of a query weigh: each, all of them, how many were looked for and how rare they are; and how
    long a document is on average."""

    idf: list[float]
    total: float
    searched: int
    rarity: float
    average: float


def _scored(store: int, candidate: Candidate, weights: _Weights, shape: Shape) -> Scored:
    norm = shape.k1 * (1 - shape.b + shape.b * candidate.length / weights.average)
    value = held = 0.0
    words = 0
    for frequency, weight in zip(candidate.frequencies, weights.idf, strict=True):
        if frequency:
            value += weight * frequency / (frequency + norm)
            held += weight
            words += 1
    coverage = max(held / weights.total, words / weights.searched)
    return Scored(store, candidate.id, value / weights.total, coverage, weights.rarity)


def _rarity(idf: Sequence[float], documents: int) -> float:
    most = math.log(1 + (documents - 0.5) / 1.5)
    return min(1.0, sum(idf) / len(idf) / most)


def _pooled_idf(matches: Sequence[Matches]) -> list[float]:
    """Weigh each term by its rarity over all stores; a term that no store looked for weighs nothing."""
    documents = sum(found.documents for found in matches)
    weights = []
    for counts, looked in zip(
        zip(*(found.document_frequencies for found in matches), strict=True),
        zip(*(found.searched for found in matches), strict=True),
        strict=True,
    ):
        holding = sum(counts)
        rarity = math.log(1 + (documents - holding + 0.5) / (holding + 0.5))
        weights.append(rarity if any(looked) else 0.0)
    return weights
