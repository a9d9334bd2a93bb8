"""The weights of search, by target: each lies inside a plateau of the benchmark (decision 0013).

Whether a question has anything to do with what is kept (`Topic`) is asked of the question, not of each hit: one
row is enough that comes near in meaning and shares rare words, or that holds nearly all of the question. Else the
best of a pool of junk would answer it. An answer that shares little is found by what stands beside it, and is not
lost here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, field

from holdfast.machine import failures
from holdfast.model.vectors import STATIC
from holdfast.recall.bm25 import KeywordScore

if TYPE_CHECKING:
    from holdfast.ports import Reranker


class Floor(Struct, frozen=True):
    """What is an answer at all: absolute, because a pool of junk has a best entry too.

    By words alone it takes this share of the query's idf. Where the meaning is known too it takes this cosine, or
    a larger share: a chance word is no answer when the meaning is another.
    """

    share: float = 0.15
    cosine: float = 0.3
    share_beside: float = 0.35

    def admits(self, share: float | None, cosine: float | None) -> bool:
        """Say whether a row is relevant; None where a channel does not know it."""
        if cosine is None:
            return share is not None and share >= self.share
        return cosine >= self.cosine or (share is not None and share >= max(self.share, self.share_beside))


NOTHING = KeywordScore(0, "", 0.0, 0.0)


class Topic(Struct, frozen=True):
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


class MemoryRecipe(Struct, frozen=True):
    """How a memory's score is made.

    score = v · cosine + (1 - v) · keyword + c · rarity² · keyword where the memory holds nearly all of the query

    To a question in plain words the vector is right more often than shared words are, so these only break ties.
    But who types a rare name wants the entry that holds it: the sum of the two alone has that among the first
    five in 64 of 100 cases, with the last part in 99, without costing questions anything. How rare the query's
    words are tells the one from the other.
    """

    vector: float = 0.93
    complete: float = 0.7
    nearly_all: float = 0.9


class TurnRecipe(Struct, frozen=True):
    """How a turn's score is made, and a session's from its best turns.

    own(t)   = (1 - v) · keyword(t) · [a if an agent said it] + v · cosine(t)
    own(s)   = (1 - v) · keyword(s) + v · mean of the best cosines of its turns
    score(t) = own(t) + n · max(own(before), own(after)) + f · max(own(two before), own(two after)) + g · own(s)
               + p · [speaker named] + d · date fit + u · [a person said it]
    score(s) = mean of its best score(t)

    An answer stands next to its question, and a session about the topic lends weight to each of its turns.
    """

    vector: float
    neighbour: float
    session: float
    agent: float = 1.0
    speaker: float = 0.2
    date: float = 0.1
    further: float = 0.0
    """What the turns behind the neighbours lend: who asks again gets the answer two turns later."""
    person: float = 0.0
    """What is added where a person speaks: agents write nine tenths of a session and mention everything."""
    best_turns: int = 2
    best_cosines: int = 1

    @property
    def most(self) -> float:
        """What own scores, neighbours, session and person add up to at most; speaker and date come on top."""
        return 1 + self.neighbour + self.further + self.session + self.person


class Ranking(Struct, frozen=True):
    """Everything that decides the order of hits."""

    floor: Floor = field(default_factory=Floor)
    static_floor: Floor = field(default_factory=lambda: Floor(cosine=0.31))
    """Where the static table made the question's vector: as silent as the model at its own (decision 0081)."""
    topic: Topic = field(default_factory=Topic)
    """What was said about anything."""
    memory_topic: Topic = field(default_factory=lambda: Topic(bar=0.5, least=0.25))
    """What is remembered is about less: off topic, memories come .15 to .2 less near than the nearest turn."""
    fusion: str = "weighted"
    memories: MemoryRecipe = field(default_factory=MemoryRecipe)
    turns: TurnRecipe = field(
        default_factory=lambda: TurnRecipe(vector=0.45, neighbour=0.5, further=0.15, session=0.5, person=0.2)
    )
    sessions: TurnRecipe = field(
        default_factory=lambda: TurnRecipe(vector=0.5, neighbour=0.0, session=1.5, agent=0.5, best_cosines=2)
    )

    def floor_for(self, encoder: str) -> Floor:
        """Return what is an answer to a question whose vector an encoder made."""
        return self.static_floor if encoder == STATIC else self.floor


STEP = "rerank"
"""What a trace says was tried."""


def opinions_on(texts: Sequence[str], question: str, reranker: Reranker) -> list[float] | None:
    """Return how well each text answers a question; None, and a trace, where that is not to be had."""
    try:
        opinions = [float(opinion) for opinion in reranker.rerank(question, texts)]
    except Exception as error:
        problem = failures.describe(error)
    else:
        if len(opinions) == len(texts) and all(map(math.isfinite, opinions)):
            return opinions
        problem = f"{len(opinions)} opinions on {len(texts)} texts, or one that is no number"
    failures.leave_once(STEP, "", problem)  # of no project: whoever reranks knows of none
    return None
