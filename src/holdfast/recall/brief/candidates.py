"""Memories that may belong into a brief: found by words and by meaning in every store, with their relevance."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.model.kinds import TOOL
from holdfast.model.memory import Memory
from holdfast.model.search import Filters, Matches
from holdfast.model.type_hints import TYPE_CHECKING
from holdfast.model.value import Value
from holdfast.model.vectors import MEMORY
from holdfast.recall.aliases import widely
from holdfast.recall.brief.evidence import BriefSearch
from holdfast.recall.brief.meaning import vector_for
from holdfast.recall.brief.relevance import WordWeights, relevance
from holdfast.recall.brief.weights import KINDS, SAME_FILE

if TYPE_CHECKING:
    from holdfast.ports import Store, Vector

POSTINGS = 1_000
POOL = 40
"""Memories taken from each channel of each store."""

MOST_WORTH = max(KINDS.values()) * SAME_FILE
"""What relevance can grow to at most before it is held against the floor."""

SATURATION = 2.4
"""A word in a memory's content or title counts twice (`stores.weights`), so it saturates twice as late as in a
turn."""


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
            candidate.id: weights.held(candidate.frequencies, SATURATION)
            for candidate in matches[place].candidates
        }
        cosines = _cosines(vector_for(store, search.vector), store, filters, list(rare_words), pool)
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


def _cosines(
    vector: Vector | None, store: Store, filters: Filters, ids: Sequence[str], pool: int
) -> dict[str, float]:
    """Return the cosines of the nearest memories and of those that words found."""
    if vector is None:
        return {}
    nearest_cosines = {
        neighbour.id: neighbour.cosine for neighbour in store.vectors.nearest(MEMORY, vector, filters, pool)
    }
    return nearest_cosines | store.vectors.cosines(
        MEMORY, vector, [memory_id for memory_id in ids if memory_id not in nearest_cosines]
    )
