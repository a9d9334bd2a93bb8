"""Whether a question has anything to do with what is kept: else the best of a pool of junk would answer it.

One row is enough that comes near in meaning and shares rare words, or that holds nearly all of the question. This
is asked of the question, not of each hit: an answer that shares little with a question is found by what stands
beside it, and is not lost here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from holdfast.model.value import Value
from holdfast.recall.bm25 import KeywordScore

NOTHING = KeywordScore(0, "", 0.0, 0.0)


class Topic(Value):
    """What makes a question one about what is kept (decision 0092)."""

    bar: float = 0.6
    """What the nearest row's cosine and its rare words must add up to, in a store of some size."""
    least: float = 0.33
    """The same in a store of one row."""
    per_tenfold: float = 0.08
    """What is asked more for each ten times as many rows, up to the bar: of many some come near to anything."""
    word: float = 0.2
    """What one of the rarest words, held often, adds to a cosine."""
    nearly_all: float = 0.9
    """The share of the question that a row must hold to be an answer by that alone."""

    def covers(self, rows: Iterable[tuple[KeywordScore | None, float | None]], documents: int) -> bool:
        """Say whether any of these rows is about the question, by its words and its cosine, None where unknown.

        `documents` are all among which they were found.
        """
        bar = min(self.bar, self.least + self.per_tenfold * math.log10(max(1, documents)))
        return any(self._about(keyword or NOTHING, cosine, bar) for keyword, cosine in rows)

    def _about(self, keyword: KeywordScore, cosine: float | None, bar: float) -> bool:
        if cosine is None:  # by words alone nothing can be told apart: what shares some is left to the floor
            return keyword.coverage > 0
        return keyword.coverage >= self.nearly_all or cosine + self.word * keyword.rare >= bar
