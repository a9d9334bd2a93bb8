"""What may belong into a brief: memories, found by words and by meaning in every store, and the scores of these
and of what was said (`evidence`).
"""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.model.kinds import TOOL, USER
from holdfast.model.memory import Memory
from holdfast.model.search import Filters, Matches
from holdfast.model.session import Turn
from holdfast.model.type_hints import TYPE_CHECKING
from holdfast.model.value import Value
from holdfast.model.vectors import MEMORY
from holdfast.recall.bm25 import MEMORIES
from holdfast.recall.brief.amendments import SettledStatement
from holdfast.recall.brief.current import statement_of_memory
from holdfast.recall.brief.evidence import BriefSearch, Utterance
from holdfast.recall.brief.relevance import WordWeights, cosines_of, relevance, vector_for
from holdfast.recall.brief.weights import (
    KINDS,
    SAME_FILE,
    Scene,
    memory_parts,
    score,
    stands,
    turn_parts,
    turn_trust,
)
from holdfast.recall.stand_ins import widely

if TYPE_CHECKING:
    from holdfast.ports import Store

POSTINGS = 1_000
POOL = 40
"""Memories taken from each channel of each store."""

MOST_WORTH = max(KINDS.values()) * SAME_FILE
"""What relevance can grow to at most before it is held against the floor."""


class RelevantMemory(Value):
    """A memory and how much it has to do with a prompt."""

    memory: Memory
    relevance: float


def find_memories(search: BriefSearch, stores: Sequence[Store], now: int) -> list[RelevantMemory]:
    """Return memories that hold, of any kind and trust but what a tool said, best first, at most so many."""
    filters = Filters(current_at=now)
    pool = min(POOL, search.most)
    matches = [_matches(search, store, filters, pool) for store in stores]
    weights = WordWeights.of(search.terms, matches)
    ratings: list[tuple[float, int, str]] = []
    for place, store in enumerate(stores):
        rare_words = {
            candidate.id: weights.held(candidate.frequencies, MEMORIES.saturation)
            for candidate in matches[place].candidates
        }
        vector = vector_for(store, search.vector)
        cosines = cosines_of(MEMORY, vector, store, filters, pool, list(rare_words))
        for memory_id in dict.fromkeys((*rare_words, *cosines)):
            value = relevance(rare_words.get(memory_id, 0.0), cosines.get(memory_id) if cosines else None)
            if value * MOST_WORTH >= search.floors.rule:
                ratings.append((value, place, memory_id))
    best = sorted(ratings, key=lambda row: -row[0])[: search.most]
    rows = {
        memory.id: memory
        for place, store in enumerate(stores)
        for memory in store.memories.get([memory_id for _, home, memory_id in best if home == place])
    }
    return [
        RelevantMemory(rows[memory_id], round(value, 4))
        for value, _, memory_id in best
        if memory_id in rows and rows[memory_id].trust != TOOL
    ]


def _matches(search: BriefSearch, store: Store, filters: Filters, pool: int) -> Matches:
    return widely(lambda terms: store.memories.match(terms, filters, pool, POSTINGS), search.terms, search.aliases)


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
