"""A memory or a turn with the parts of its score, and the floor below which nothing is injected."""

from dataclasses import dataclass

from holdfast.model.memory import Memory
from holdfast.model.session import Turn
from holdfast.recall.brief.amendments import Statement
from holdfast.recall.brief.candidates import Remembered
from holdfast.recall.brief.current import Standing, statement_of_memory
from holdfast.recall.brief.evidence import Evidence
from holdfast.recall.brief.keywords import Asked
from holdfast.recall.brief.weights import Scene, memory_parts, score, turn_parts

FLOOR = 0.455
"""What relevance, kind and files together must reach: below it nothing is injected, however it compares."""

RECALLS = 1.2
"""A prompt that speaks of the project and its people is worth so much more than a question about the world."""

PARTLY = 0.3
"""What is left of something that was amended, but not said anew in full."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A memory or a turn with the parts of its score."""

    source: Memory | Turn
    parts: dict[str, float]
    marks: tuple[str, ...] = ()
    superseded: bool = False
    telling: tuple[Memory, ...] = ()
    """Memories that were made from this turn, and are told by it."""

    @property
    def id(self) -> str:
        """Its id."""
        return self.source.id

    @property
    def session(self) -> str | None:
        """The session it came up in."""
        return self.source.session

    @property
    def text(self) -> str:
        """What it says."""
        return self.source.content if isinstance(self.source, Memory) else self.source.text

    @property
    def score(self) -> float:
        """The product of its parts."""
        return score(self.parts)

    @property
    def memories(self) -> tuple[Memory, ...]:
        """The memories it tells."""
        return (self.source,) if isinstance(self.source, Memory) else self.telling

    @property
    def statement(self) -> Statement:
        """What it says, as something settled."""
        if isinstance(self.source, Memory):
            return statement_of_memory(self.source)
        return Statement(self.source.text, "", self.source.session, self.source.at, 0)

    @property
    def worth(self) -> float:
        """What the floor is measured against."""
        return self.parts["relevance"] * self.parts["kind"] * self.parts["files"]


def floor_of(asked: Asked | None) -> float:
    """Return what an entry must be worth to answer a prompt."""
    return FLOOR / RECALLS if asked and asked.recalls else FLOOR


def score_memory(one: Remembered, scene: Scene) -> Chosen:
    """Score a memory."""
    return Chosen(one.memory, {"relevance": one.relevance, **memory_parts(one.memory, scene)})


def score_turn(one: Evidence, scene: Scene) -> Chosen:
    """Score a turn."""
    return Chosen(one.turn, {"relevance": one.relevance, **turn_parts(one.turn, one.deciding, scene)})


def score_standing(one: Standing, scene: Scene) -> Chosen:
    """Score a turn with what later sessions made of it; what is said anew in full counts for nothing."""
    scored = score_turn(one.evidence, scene)
    if one.amended_by is None:
        return scored
    marks = (f"superseded in part by #{one.amended_by.turn.id[-8:]}",)
    return Chosen(
        scored.source, {**scored.parts, "superseded": 0.0 if one.whole else PARTLY}, marks, superseded=True
    )
