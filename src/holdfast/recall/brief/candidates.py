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
from holdfast.recall.brief.evidence import Search
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


class Remembered(Value):
    """A memory and how much it has to do with a prompt."""

    memory: Memory
    relevance: float


def find_memories(search: Search, stores: Sequence[Store], now: int) -> list[Remembered]:
    """Return memories that hold, of any kind and trust but what a tool said, best first, at most so many."""
    filters = Filters(current_at=now)
    pool = min(POOL, search.most)
    matches = [_matches(search, store, filters, pool) for store in stores]
    weights = WordWeights.of(search.terms, matches)
    rated: list[tuple[float, int, str]] = []
    for place, store in enumerate(stores):
        held = {one.id: weights.held(one.frequencies, SATURATION) for one in matches[place].candidates}
        near = _cosines(vector_for(store, search.vector), store, filters, list(held), pool)
        for one in dict.fromkeys((*held, *near)):
            value = relevance(held.get(one, 0.0), near.get(one) if near else None)
            if value * MOST_WORTH >= search.floors.rule:
                rated.append((value, place, one))
    best = sorted(rated, key=lambda row: -row[0])[: search.most]
    rows = {
        memory.id: memory
        for place, store in enumerate(stores)
        for memory in store.memories.get([one for _, home, one in best if home == place])
    }
    return [
        Remembered(rows[one], round(value, 4)) for value, _, one in best if one in rows and rows[one].trust != TOOL
    ]


def _matches(search: Search, store: Store, filters: Filters, pool: int) -> Matches:
    return widely(lambda terms: store.memories.match(terms, filters, pool, POSTINGS), search.terms, search.aliases)


def _cosines(
    vector: Vector | None, store: Store, filters: Filters, ids: Sequence[str], pool: int
) -> dict[str, float]:
    """Return the cosines of the nearest memories and of those that words found."""
    if vector is None:
        return {}
    near = {one.id: one.cosine for one in store.vectors.nearest(MEMORY, vector, filters, pool)}
    return near | store.vectors.cosines(MEMORY, vector, [one for one in ids if one not in near])
