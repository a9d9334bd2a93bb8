"""A memory or a passage of talk with the parts of its score, and the floor below which nothing is told."""

from holdfast.model.kinds import USER
from holdfast.model.memory import Memory
from holdfast.model.session import Turn
from holdfast.model.value import Value
from holdfast.recall.brief.amendments import SettledStatement
from holdfast.recall.brief.candidates import RelevantMemory
from holdfast.recall.brief.current import statement_of_memory
from holdfast.recall.brief.evidence import Utterance
from holdfast.recall.brief.weights import Scene, memory_parts, score, stands, turn_parts, turn_trust


class ScoredEntry(Value):
    """A memory or a turn with the parts of its score."""

    source: Memory | Turn
    parts: dict[str, float]
    text: str
    """What is told of it."""

    @property
    def id(self) -> str:
        """Its id."""
        return self.source.id

    @property
    def session(self) -> str | None:
        """The session it came up in."""
        return self.source.session

    @property
    def score(self) -> float:
        """The product of its parts."""
        return score(self.parts)

    @property
    def statement(self) -> SettledStatement:
        """What it says, as something settled."""
        if isinstance(self.source, Memory):
            return statement_of_memory(self.source)
        by_person = turn_trust(self.source) == USER
        return SettledStatement(self.text, "", self.source.session, self.source.at, 0, by_person)

    @property
    def stands(self) -> bool:
        """Whether a person stands behind it."""
        return stands(self.source) if isinstance(self.source, Memory) else turn_trust(self.source) == USER

    @property
    def worth(self) -> float:
        """What the floor is measured against."""
        return self.parts["relevance"] * self.parts["kind"] * self.parts["files"]


def score_memory(candidate: RelevantMemory, scene: Scene) -> ScoredEntry:
    """Score a memory."""
    return ScoredEntry(
        candidate.memory,
        {"relevance": candidate.relevance, **memory_parts(candidate.memory, scene)},
        candidate.memory.content,
    )


def score_turn(utterance: Utterance, scene: Scene) -> ScoredEntry:
    """Score what was said."""
    parts = {"relevance": utterance.relevance, **turn_parts(utterance.turn, utterance.deciding, scene)}
    return ScoredEntry(utterance.turn, parts, utterance.text)
