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
    """How fast a repeated term stops counting (k1), and how much a document pays for its length (b)."""

    k1: float = 1.2
    b: float = 0.75
    b_long: float = 0.0
    """What it pays more for what it has beyond so many times the average: a pasted log holds every word."""
    long: float = 2.0
    saturation: float = 1.2
    """How fast a repeated rare word stops counting."""


MEMORIES = Shape(saturation=2.4)
"""A word in a memory's content or title counts twice (`stores.weights`), so it saturates twice as late."""

SESSIONS = Shape()
TURNS = Shape(b=0.25, b_long=0.25)
"""Turns are short, and a longer one is no less about its words: .03 R@5 better than FTS5's fixed .75."""


SMALL = 50
"""Documents that a store counts as at least, where it is asked how rare a word is."""


class Scored(Value):
    """A candidate with its place among the stores and its scores."""

    store: int
    id: str
    score: float
    coverage: float
    rarity: float = 1.0
    """How rare the query's words are on average: 1 when each stands in a single document."""
    rare: float = 0.0
    """How many of the rarest words the words that it holds amount to."""


def score(
    matches: Sequence[Matches], shape: Shape = MEMORIES, uncommon: Sequence[float] | None = None
) -> list[Scored]:
    """Score the candidates of all stores together, best first; equal ones in the order they came.

    `uncommon` says how rare each term is wherever people write, from 0 to 1.
    """
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
        shares=_shares(matches, uncommon or [1.0] * len(idf)),
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
    shares: list[float]
    """What each word is of the rarest there is."""


def _scored(store: int, candidate: Candidate, weights: _Weights, shape: Shape) -> Scored:
    length = candidate.length / weights.average
    norm = shape.k1 * (1 - shape.b + shape.b * length + shape.b_long * max(0.0, length - shape.long))
    value = held = rare = 0.0
    words = 0
    for frequency, weight, share in zip(candidate.frequencies, weights.idf, weights.shares, strict=True):
        if frequency:
            value += weight * frequency / (frequency + norm)
            rare += share * frequency / (frequency + shape.saturation)
            held += weight
            words += 1
    coverage = max(held / weights.total, words / weights.searched)
    return Scored(store, candidate.id, value / weights.total, coverage, weights.rarity, rare)


def _shares(matches: Sequence[Matches], uncommon: Sequence[float]) -> list[float]:
    """Return what each term is of the rarest word: in a store of a few documents every word is rare."""
    documents = max(SMALL, sum(found.documents for found in matches))
    most = _idf(1, documents)
    holding = [sum(counts) for counts in zip(*(found.document_frequencies for found in matches), strict=True)]
    looked = [any(one) for one in zip(*(found.searched for found in matches), strict=True)]
    return [
        min(1.0, _idf(count, documents) / most, rare) if known else 0.0
        for count, known, rare in zip(holding, looked, uncommon, strict=True)
    ]


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
        weights.append(_idf(holding, documents) if any(looked) else 0.0)
    return weights


def _idf(holding: int, documents: int) -> float:
    return math.log(1 + (documents - holding + 0.5) / (holding + 0.5))
