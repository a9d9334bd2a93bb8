"""Score memories: by meaning first, and by words where the words say it all (`ranking.MemoryRecipe`)."""

from collections.abc import Mapping

from holdfast.model.value import Value
from holdfast.recall.channels import ChannelScores, Key, Question
from holdfast.recall.fuse import rrf, scale_channels
from holdfast.recall.ranking import MemoryRecipe, Ranking

_BESIDE = frozenset(("coverage", "cosine", "turns", "rerank"))
"""What `why` shows beside the parts that add up."""


class Rating(Value):
    """A row's score with its parts."""

    score: float
    why: Mapping[str, float]

    def out_of(self, most: float) -> "Rating":
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
