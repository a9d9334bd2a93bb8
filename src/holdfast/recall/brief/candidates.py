"""What may belong into a brief: memories, found by words and by meaning in every store, and scores of these and of
threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from holdfast.model.kinds import TOOL
from holdfast.model.memory import Memory
from holdfast.model.search import Filters, Matches
from holdfast.model.vectors import MEMORY
from holdfast.recall.bm25 import MEMORIES
from holdfast.recall.brief.relevance import WordWeights, cosines_of, relevance, vector_for
from holdfast.recall.brief.threads import BriefSearch, RelevantThread
from holdfast.recall.brief.weights import (
    KINDS,
    SAME_FILE,
    Scene,
    is_said,
    is_sure,
    memory_parts,
    score,
    stands,
    thread_parts,
)
from holdfast.recall.stand_ins import widely

if TYPE_CHECKING:
    from holdfast.ports import Store

POSTINGS = 1_000
POOL = 40
"""Memories taken from each channel of each store."""

MOST_WORTH = max(KINDS.values()) * SAME_FILE
"""What relevance can grow to at most before it is held against the floor."""


class RelevantMemory(Struct, frozen=True):
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


class ScoredEntry(Struct, frozen=True):
    """A memory or a thread with the parts of its score."""

    source: Memory | RelevantThread
    parts: dict[str, float]

    @property
    def id(self) -> str:
        """The id of the memory, or of the statement that a thread is told by."""
        return self.source.id if isinstance(self.source, Memory) else self.source.best.id

    @property
    def text(self) -> str:
        """What it says; of a thread, what its best statement does."""
        return self.source.content if isinstance(self.source, Memory) else self.source.best.text

    @property
    def score(self) -> float:
        """The product of its parts."""
        return score(self.parts)

    @property
    def stands(self) -> bool:
        """Whether a person stands behind it."""
        return not isinstance(self.source, Memory) or stands(self.source)

    @property
    def applies_unasked(self) -> bool:
        """Whether the lowest floor holds for it: a rule, or something said that very probably lasts."""
        if isinstance(self.source, Memory):
            return is_sure(self.source) if is_said(self.source) else self.stands
        return False

    @property
    def worth(self) -> float:
        """What the floor is measured against."""
        return self.parts["relevance"] * self.parts["kind"] * self.parts["files"]


def score_memory(candidate: RelevantMemory, scene: Scene) -> ScoredEntry:
    """Score a memory."""
    return ScoredEntry(
        candidate.memory, {"relevance": candidate.relevance, **memory_parts(candidate.memory, scene)}
    )


def score_thread(thread: RelevantThread, scene: Scene) -> ScoredEntry:
    """Score a thread."""
    return ScoredEntry(thread, {"relevance": thread.fit, **thread_parts(thread.thread, scene)})
