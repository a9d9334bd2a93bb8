"""The scores of memories: the keyword and the vector channel put together, as parts that add up
(`ranking.MemoryRecipe`).

`weighted` adds the channels as they are: a keyword score is a share of the query's best, a cosine is a cosine.
`minmax` stretches each over its pool first; it suits embedders whose cosines sit in a narrow band. `rrf` looks at
ranks alone. Meaning comes first, and words where the words say it all. Must not live here: retrieval, and what is
special about turns (`turns`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from msgspec import Struct

from holdfast.recall.channels import ChannelScores, Key, Question
from holdfast.recall.ranking import MemoryRecipe, Ranking

Row = TypeVar("Row")

RRF_K = 60
RRF_RANKS = 60
"""Ranks that count, unless more hits are wanted: so few that a row in both lists beats one that leads either."""

UNKNOWN_COSINE = 0.3
"""What meaning counts as where it is not known: of a row that shares hardly a word with the question."""

PER_KEYWORD = 0.6
"""What a keyword score of 1 adds to that. Cosines grow so with keyword scores in all three development sets."""

_BESIDE = frozenset(("coverage", "cosine", "turns", "rerank"))
"""What `why` shows beside the parts that add up."""


class Rating(Struct, frozen=True):
    """A row's score with its parts."""

    score: float
    why: Mapping[str, float]

    def out_of(self, most: float) -> Rating:
        """Return the score as a share, and its parts with it; what is no part of it stays."""
        why = {name: value if name in _BESIDE else value / most for name, value in self.why.items()}
        return Rating(self.score / most, why)


def rate_memories(question: Question, channel_scores: ChannelScores, ranking: Ranking) -> dict[Key, Rating]:
    """Return every memory that is an answer at all, with its score."""
    floor = ranking.floor_for(question.encoder)
    admitted_keys = [key for key in channel_scores.rows if floor.admits(*_evidence(channel_scores, key))]
    if question.vector is None or not question.by_word:
        return {key: _by_one(question, channel_scores, key) for key in admitted_keys}
    keyword = {key: keyword_score.score for key, keyword_score in channel_scores.keyword.items()}
    if ranking.fusion == "rrf":
        fused_scores = rrf(keyword, channel_scores.cosine, question.query.limit)
        return {
            key: _rate(channel_scores, key, *fused_scores[key]) for key in admitted_keys if key in fused_scores
        }
    scales = scale_channels(ranking.fusion, keyword, channel_scores.cosine)
    recipe, share = ranking.memories, scales.share(ranking.memories.vector)
    ratings = {}
    for key in admitted_keys:
        words = scales.keyword.get(key, 0.0)
        complete = _complete(channel_scores, key, words, recipe)
        ratings[key] = _rate(channel_scores, key, (1 - share) * words, share * scales.meaning(key), complete)
    return ratings


def _complete(channel_scores: ChannelScores, key: Key, words: float, recipe: MemoryRecipe) -> float:
    keyword_score = channel_scores.keyword.get(key)
    if keyword_score is None or keyword_score.coverage < recipe.nearly_all:
        return 0.0
    return recipe.complete * keyword_score.rarity**2 * words


def _by_one(question: Question, channel_scores: ChannelScores, key: Key) -> Rating:
    """Score by the one channel that was asked for."""
    if not question.by_word:
        cosine = channel_scores.cosine[key]
        return Rating(cosine, {"vector": cosine})
    keyword_score = channel_scores.keyword[key]
    return Rating(keyword_score.score, {"keyword": keyword_score.score, "coverage": keyword_score.coverage})


def _rate(channel_scores: ChannelScores, key: Key, keyword: float, vector: float, complete: float = 0.0) -> Rating:
    share, cosine = _evidence(channel_scores, key)
    why = {"keyword": keyword, "vector": vector, "complete": complete, "coverage": share or 0.0}
    if cosine is not None:
        why["cosine"] = cosine
    return Rating(keyword + vector + complete, why)


def _evidence(channel_scores: ChannelScores, key: Key) -> tuple[float | None, float | None]:
    keyword_score = channel_scores.keyword.get(key)
    return keyword_score.coverage if keyword_score else None, channel_scores.cosine.get(key)


class Scales(Struct, frozen=True):
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


def scale_channels(fusion: str, keyword: Mapping[Row, float], cosine: Mapping[Row, float]) -> Scales:
    """Scale the channels as the kind of fusion asks."""
    known_share = sum(row in cosine for row in keyword) / len(keyword) if keyword else 1.0
    if fusion == "minmax":
        words, meanings = _stretch(keyword, 0.0), _stretch(cosine, None)
        return Scales(words, meanings, known_share, 0.0, 1.0)  # type: ignore[arg-type]  # invariant
    return Scales(keyword, cosine, known_share)  # type: ignore[arg-type]  # the same


def rrf(keyword: Mapping[Row, float], cosine: Mapping[Row, float], limit: int) -> dict[Row, tuple[float, float]]:
    """Return what each channel's rank gives to a row: 1 / (k + rank), for as many ranks as hits are wanted."""
    ranks = max(RRF_RANKS, limit)
    words, cosine_ranks = _by_rank(keyword, ranks), _by_rank(cosine, ranks)
    return {key: (words.get(key, 0.0), cosine_ranks.get(key, 0.0)) for key in {**words, **cosine_ranks}}


def _by_rank(scores: Mapping[Row, float], ranks: int) -> dict[Row, float]:
    order = sorted(scores, key=lambda key: -scores[key])[:ranks]
    return {key: 1 / (RRF_K + rank) for rank, key in enumerate(order, 1)}


def _stretch(scores: Mapping[Row, float], floor: float | None) -> dict[Row, float]:
    """Stretch scores to 0..1 between a floor (else the lowest) and the highest; equal ones all become 1."""
    lowest = min(scores.values(), default=0.0) if floor is None else floor
    span = max(scores.values(), default=0.0) - lowest
    if span <= 0:
        return dict.fromkeys(scores, 1.0 if floor is None else 0.0)
    return {key: (score - lowest) / span for key, score in scores.items()}
