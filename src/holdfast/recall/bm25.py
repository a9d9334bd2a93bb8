"""Keyword scores from plain counts, comparable across stores: the counts are summed before anything is scored.

The formula lives here alone; stores only count. `score` is BM25 as a share of the most that the query could score,
so that 1 means the same for every query and no pool of junk is stretched to 1; `coverage` is how much of the query
the document holds at all: the share of its idf, or of its words where that is more (in a small store an unknown
word would outweigh all that is known).
"""

import math
from collections.abc import Sequence

from msgspec import Struct

from holdfast.model.search import Candidate, Matches


class Shape(Struct, frozen=True):
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


class KeywordScore(Struct, frozen=True):
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
) -> list[KeywordScore]:
    """Score the candidates of all stores together, best first; equal ones in the order they came.

    `uncommon` says how rare each term is wherever people write, from 0 to 1.
    """
    idf = _pooled_idf(matches)
    total = sum(idf)
    tokens = sum(store_matches.tokens for store_matches in matches)
    if not total or not tokens:
        return []
    weights = _Weights(
        idf=idf,
        total=total,
        searched=sum(weight > 0 for weight in idf),
        rarity=_rarity(idf, sum(store_matches.documents for store_matches in matches)),
        average=tokens / sum(store_matches.documents for store_matches in matches if store_matches.tokens),
        shares=word_shares(matches, uncommon or [1.0] * len(idf)),
    )
    scores = [
        _score_candidate(place, candidate, weights, shape)
        for place, store_matches in enumerate(matches)
        for candidate in store_matches.candidates
    ]
    return sorted(scores, key=lambda candidate_score: -candidate_score.score)


class _Weights(Struct, frozen=True):
    """What the words of a query weigh: each, all of them, how many were looked for and how rare they are; and how
    long a document is on average."""

    idf: list[float]
    total: float
    searched: int
    rarity: float
    average: float
    shares: list[float]
    """What each word is of the rarest there is."""


def _score_candidate(store: int, candidate: Candidate, weights: _Weights, shape: Shape) -> KeywordScore:
    length = candidate.length / weights.average
    norm = shape.k1 * (1 - shape.b + shape.b * length + shape.b_long * max(0.0, length - shape.long))
    value = matched_weight = rare = 0.0
    words = 0
    for frequency, weight, share in zip(candidate.frequencies, weights.idf, weights.shares, strict=True):
        if frequency:
            value += weight * frequency / (frequency + norm)
            rare += share * frequency / (frequency + shape.saturation)
            matched_weight += weight
            words += 1
    coverage = max(matched_weight / weights.total, words / weights.searched)
    return KeywordScore(store, candidate.id, value / weights.total, coverage, weights.rarity, rare)


def word_shares(matches: Sequence[Matches], uncommon: Sequence[float]) -> list[float]:
    """Return what each term is of the rarest word, in all stores together but never above how rare it is at all.

    A store counts as one of some size: in one of a few documents every word is rare.
    """
    documents = max(SMALL, sum(match.documents for match in matches))
    most = _idf(1, documents)
    holding = [sum(counts) for counts in zip(*(match.document_frequencies for match in matches), strict=True)]
    is_searched = [any(flags) for flags in zip(*(match.searched for match in matches), strict=True)]
    return [
        min(1.0, _idf(count, documents) / most, rare) if searched_term else 0.0
        for count, searched_term, rare in zip(holding, is_searched, uncommon, strict=True)
    ]


def _rarity(idf: Sequence[float], documents: int) -> float:
    most = math.log(1 + (documents - 0.5) / 1.5)
    return min(1.0, sum(idf) / len(idf) / most)


def _pooled_idf(matches: Sequence[Matches]) -> list[float]:
    """Weigh each term by its rarity over all stores; a term that no store looked for weighs nothing."""
    documents = sum(store_matches.documents for store_matches in matches)
    weights = []
    for counts, searched_flags in zip(
        zip(*(store_matches.document_frequencies for store_matches in matches), strict=True),
        zip(*(store_matches.searched for store_matches in matches), strict=True),
        strict=True,
    ):
        holding = sum(counts)
        weights.append(_idf(holding, documents) if any(searched_flags) else 0.0)
    return weights


def _idf(holding: int, documents: int) -> float:
    return math.log(1 + (documents - holding + 0.5) / (holding + 0.5))
