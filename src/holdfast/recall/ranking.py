"""The weights of search, by target: each lies inside a plateau of the benchmark (decision 0013)."""

from holdfast.model.value import Value, field
from holdfast.model.vectors import STATIC

FUSIONS = ("weighted", "minmax", "rrf")


class Floor(Value):
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


class MemoryRecipe(Value):
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


class TurnRecipe(Value):
    """How a turn's score is made, and a session's from its best turns.

    own(t)   = (1 - v) · keyword(t) · [a if an agent said it] + v · cosine(t)
    own(s)   = (1 - v) · keyword(s) + v · mean of the best cosines of its turns
    score(t) = own(t) + n · (own(before) + own(after)) + g · own(s) + p · [speaker named] + d · date fit
    score(s) = mean of its best score(t)

    An answer stands next to its question, and a session about the topic lends weight to each of its turns.
    """

    vector: float
    neighbour: float
    session: float
    agent: float = 1.0
    speaker: float = 0.2
    date: float = 0.1
    best_turns: int = 2
    best_cosines: int = 1

    def most(self, *, by_meaning: bool) -> float:
        """Return what own scores, neighbours and session add up to at most; speaker and date come on top."""
        return (1 if by_meaning else 1 - self.vector) * (1 + 2 * self.neighbour + self.session)


class Ranking(Value):
    """Everything that decides the order of hits."""

    floor: Floor = field(default_factory=Floor)
    static_floor: Floor = field(default_factory=lambda: Floor(cosine=0.31))
    """Where the static table made the question's vector: as silent as the model at its own (decision 0081)."""
    fusion: str = "weighted"
    memories: MemoryRecipe = field(default_factory=MemoryRecipe)
    turns: TurnRecipe = field(default_factory=lambda: TurnRecipe(vector=0.35, neighbour=0.3, session=0.5))
    sessions: TurnRecipe = field(
        default_factory=lambda: TurnRecipe(vector=0.5, neighbour=0.0, session=1.5, agent=0.5, best_cosines=2)
    )

    def floor_for(self, encoder: str) -> Floor:
        """Return what is an answer to a question whose vector an encoder made."""
        return self.static_floor if encoder == STATIC else self.floor
