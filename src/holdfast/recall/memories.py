"""Score memories: by meaning first, and by words where the words say it all (`ranking.MemoryRecipe`)."""

from collections.abc import Mapping

from holdfast.model.value import Value
from holdfast.recall.channels import Found, Key, Question
from holdfast.recall.fuse import rrf, scaled
from holdfast.recall.ranking import MemoryRecipe, Ranking

_BESIDE = frozenset(("coverage", "cosine", "turns", "rerank"))
"""What `why` shows beside the parts that add up."""


class Rated(Value):
    """A row's score with its parts."""

    score: float
    why: Mapping[str, float]

    def out_of(self, most: float) -> "Rated":
        """Return the score as a share, and its parts with it; what is no part of it stays."""
        why = {name: value if name in _BESIDE else value / most for name, value in self.why.items()}
        return Rated(self.score / most, why)


def rate_memories(question: Question, found: Found, ranking: Ranking) -> dict[Key, Rated]:
    """Return every memory that is an answer at all, with its score."""
    floor = ranking.floor_for(question.encoder)
    admitted = [key for key in found.rows if floor.admits(*_evidence(found, key))]
    if question.vector is None or not question.by_word:
        return {key: _by_one(question, found, key) for key in admitted}
    keyword = {key: one.score for key, one in found.keyword.items()}
    if ranking.fusion == "rrf":
        fused = rrf(keyword, found.cosine, question.query.limit)
        return {key: _rated(found, key, *fused[key]) for key in admitted if key in fused}
    scales = scaled(ranking.fusion, keyword, found.cosine)
    recipe, share = ranking.memories, scales.share(ranking.memories.vector)
    rated = {}
    for key in admitted:
        words = scales.keyword.get(key, 0.0)
        complete = _complete(found, key, words, recipe)
        rated[key] = _rated(found, key, (1 - share) * words, share * scales.meaning(key), complete)
    return rated


def _complete(found: Found, key: Key, words: float, recipe: MemoryRecipe) -> float:
    held = found.keyword.get(key)
    if held is None or held.coverage < recipe.nearly_all:
        return 0.0
    return recipe.complete * held.rarity**2 * words


def _by_one(question: Question, found: Found, key: Key) -> Rated:
    """Score by the one channel that was asked for."""
    if not question.by_word:
        cosine = found.cosine[key]
        return Rated(cosine, {"vector": cosine})
    one = found.keyword[key]
    return Rated(one.score, {"keyword": one.score, "coverage": one.coverage})


def _rated(found: Found, key: Key, keyword: float, vector: float, complete: float = 0.0) -> Rated:
    share, cosine = _evidence(found, key)
    why = {"keyword": keyword, "vector": vector, "complete": complete, "coverage": share or 0.0}
    if cosine is not None:
        why["cosine"] = cosine
    return Rated(keyword + vector + complete, why)


def _evidence(found: Found, key: Key) -> tuple[float | None, float | None]:
    held = found.keyword.get(key)
    return held.coverage if held else None, found.cosine.get(key)
