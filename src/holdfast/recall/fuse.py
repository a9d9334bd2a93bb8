"""Put the keyword and the vector channel together, as parts that add up to a score.

Lives here: fusion of scores that are there. Must not live here: retrieval, and what is special about a target.

`weighted` adds the channels as they are: a keyword score is a share of the query's best, a cosine is a cosine.
`minmax` stretches each over its pool first; it suits embedders whose cosines sit in a narrow band. `rrf` looks at
ranks alone.
"""

from __future__ import annotations

from collections.abc import Mapping

from holdfast.model.type_hints import TYPE_CHECKING
from holdfast.model.value import Value

RRF_K = 60
RRF_RANKS = 60
"""Ranks that count, unless more hits are wanted: so few that a row in both lists beats one that leads either."""

if TYPE_CHECKING:
    from typing import TypeVar

    Key = TypeVar("Key")


UNKNOWN_COSINE = 0.3
"""What meaning counts as where it is not known: of a row that shares hardly a word with the question."""

PER_KEYWORD = 0.6
"""What a keyword score of 1 adds to that. Cosines grow so with keyword scores in all three development sets."""


class Scales(Value):
    """How scores of the channels are brought together before they are weighted."""

    keyword: Mapping[object, float]
    cosine: Mapping[object, float]
    known: float = 1.0
    """The share of the rows found by words whose meaning is known: as far as it is, it counts."""
    unknown: float = UNKNOWN_COSINE
    per_keyword: float = PER_KEYWORD

    def meaning(self, row: object) -> float:
        """Return a row's cosine; where it waits for its vector, what its words let expect."""
        cosine = self.cosine.get(row)
        return self.unknown + self.per_keyword * self.keyword.get(row, 0.0) if cosine is None else cosine

    def share(self, vector: float) -> float:
        """Return what meaning weighs here, of what it weighs where all of it is known."""
        return vector * self.known


def scale_channels(fusion: str, keyword: Mapping[Key, float], cosine: Mapping[Key, float]) -> Scales:
    """Scale the channels as the kind of fusion asks."""
    known_share = sum(row in cosine for row in keyword) / len(keyword) if keyword else 1.0
    if fusion == "minmax":
        words, meanings = _stretch(keyword, 0.0), _stretch(cosine, None)
        return Scales(words, meanings, known_share, 0.0, 1.0)  # type: ignore[arg-type]  # invariant
    return Scales(keyword, cosine, known_share)  # type: ignore[arg-type]  # the same


def rrf(keyword: Mapping[Key, float], cosine: Mapping[Key, float], limit: int) -> dict[Key, tuple[float, float]]:
    """Return what each channel's rank gives to a row: 1 / (k + rank), for as many ranks as hits are wanted."""
    ranks = max(RRF_RANKS, limit)
    words, cosine_ranks = _by_rank(keyword, ranks), _by_rank(cosine, ranks)
    return {key: (words.get(key, 0.0), cosine_ranks.get(key, 0.0)) for key in {**words, **cosine_ranks}}


def _by_rank(scores: Mapping[Key, float], ranks: int) -> dict[Key, float]:
    order = sorted(scores, key=lambda key: -scores[key])[:ranks]
    return {key: 1 / (RRF_K + rank) for rank, key in enumerate(order, 1)}


def _stretch(scores: Mapping[Key, float], floor: float | None) -> dict[Key, float]:
    """Stretch scores to 0..1 between a floor (else the lowest) and the highest; equal ones all become 1."""
    lowest = min(scores.values(), default=0.0) if floor is None else floor
    span = max(scores.values(), default=0.0) - lowest
    if span <= 0:
        return dict.fromkeys(scores, 1.0 if floor is None else 0.0)
    return {key: (score - lowest) / span for key, score in scores.items()}
