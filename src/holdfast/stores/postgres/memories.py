"""The memories of a store on PostgreSQL."""

from collections.abc import Callable, Mapping, Sequence

from holdfast.model.kinds import PINNED, PROMOTED
from holdfast.model.limits import READS_KEEP
from holdfast.model.memory import Memory
from holdfast.model.search import Filters, Matches, Term
from holdfast.model.vectors import MEMORY
from holdfast.stores.postgres import bulk
from holdfast.stores.postgres.connection import Database
from holdfast.stores.postgres.matching import Matcher
from holdfast.stores.postgres.rows import (
    document,
    filter_row,
    id_or_none,
    known_ids,
    memory_of,
    memory_row,
    memory_texts,
    sought,
)
from holdfast.stores.postgres.stats import Stats
from holdfast.stores.postgres.topics import Topics
from holdfast.stores.walk_ends import Ends
from holdfast.stores.weights import MEMORY_WEIGHTS

READS = "total_reads"
"""Under which name reads are counted."""

_PINS = "pins"
"""Under which name it is counted how often something was pinned: who looked before another did has lost a race."""

_INDEXED = ("kind", "title", "content", "context", "tags", "files")


class PostgresMemories:
    """`ports.Memories` on PostgreSQL."""

    def __init__(
        self, database: Database, postings_budget: int, fading: Callable[[Memory], int | None] | None = None
    ) -> None:
        self._database = database
        self._fading = fading
        self._stats = Stats(database)
        self._topics = Topics(database)
        self._ends = Ends()
        self.index = Matcher(database, "memories", MEMORY, MEMORY_WEIGHTS, postings_budget)

    def get(self, ids: Sequence[str]) -> list[Memory]:
        found = {one.id: one for one in self._select("memories_get", {"ids": known_ids(ids)})}
        return [found[memory_id] for memory_id in ids if memory_id in found]

    def ending(self, tail: str) -> list[str]:
        rows = self._database.all("memories_ending", {"tail": sought(tail[-8:])})
        return [full for (full,) in rows if full.replace("-", "").endswith(tail)]

    def saying(self, project: str, fingerprints: Sequence[str]) -> dict[str, Memory]:
        params = {"project": sought(project), "fingerprints": list(map(sought, fingerprints))}
        return {one.fingerprint: one for one in self._select("memories_saying", params)}

    def ever_saying(self, project: str, fingerprints: Sequence[str]) -> list[Memory]:
        params = {"project": sought(project), "fingerprints": list(map(sought, fingerprints))}
        return self._select("memories_ever_saying", params)

    def akin(self, project: str, texts: Sequence[str], now: int, limit: int) -> list[list[Memory]]:
        found = self._topics.akin(texts, 2 * limit)
        return [[one for one in near if one.project == project and one.current(now)][:limit] for near in found]

    def walk(self, after: str | None, limit: int) -> list[Memory]:
        params = {"after": id_or_none(after), "ended": self._ends.of(after), "limit": limit}
        rows = self._database.all("memories_walk", params)
        self._database.saw((row[1], row[-1]) for row in rows)
        if rows:
            self._ends.note(rows[-1][1], rows[-1][0])
        return [memory_of(row[1:]) for row in rows]

    def quarantined(self, before: int, limit: int) -> list[Memory]:
        return self._select("memories_quarantined", {"before": before, "limit": limit, "source": PROMOTED})

    def newest(self, filters: Filters, limit: int) -> list[Memory]:
        if self._database.in_writing and filters.statuses == (PINNED,):
            self._database.saw([(_PINS, self._pins("pins_now"))])
        return self._select("memories_newest", filter_row(filters) | {"limit": limit})

    def around(self, anchor: Memory, window: int, filters: Filters) -> list[Memory]:
        params = filter_row(filters) | {"id": anchor.id, "created_at": anchor.created_at, "window": window}
        with self._database.reading():
            before = self._select("memories_before", params)
            after = self._select("memories_after", params)
        return [*reversed(before), anchor, *after]

    def history(self, memory_id: str) -> list[Memory]:
        tied = set(known_ids([memory_id]))
        with self._database.reading():
            edge = tied
            while edge:
                rows = self._database.all("memories_neighbours", {"ids": list(edge)})
                edge = {full for (full,) in rows} - tied
                tied = tied | edge
            return self._select("memories_in_order", {"ids": list(tied)})

    def match(
        self, terms: Sequence[Term], filters: Filters, limit: int, most_postings: int | None = None
    ) -> Matches:
        return self.index.match(terms, filters, limit, most_postings)

    def words(self, lead: str) -> dict[str, int]:
        return self.index.words(lead)

    def insert(self, memories: Sequence[Memory]) -> None:
        if any(_carried(memory) for memory in memories):
            self._pin()
        numbers = self._database.arrivals(len(memories))
        numbered = list(zip(numbers, memories, strict=True))
        rows = [self._row(one) | {"seq": number} for number, one in numbered]
        bulk.insert(self._database, "memory_insert", "memory", rows)
        self.index.put({number: document(memory_texts(one)) for number, one in numbered})
        self._topics.put(numbered)
        self._database.all("wait", {"target": MEMORY, "seqs": numbers})

    def replace(self, memory: Memory) -> None:
        held = self._held([memory.id])
        if not held:
            self._database.raced(f"{memory.id} is gone")
        [(number, before)] = held.items()
        if _carried(memory) and not _carried(before):
            self._pin()
        self._database.all("memory_replace", self._row(memory))
        if any(getattr(before, name) != getattr(memory, name) for name in _INDEXED):
            self.index.drop({number: document(memory_texts(before))})
            self.index.put({number: document(memory_texts(memory))})
        if (before.content, before.superseded) != (memory.content, memory.superseded):
            self._topics.drop({number: before})
            self._topics.put([(number, memory)])
        if (before.title, before.content) != (memory.title, memory.content):
            self._database.all("vectors_gone", {"target": MEMORY, "seqs": [number]})
            self._database.all("wait", {"target": MEMORY, "seqs": [number]})
        self._database.changed([memory.id])

    def count_read(self, ids: Sequence[str], at: int) -> None:
        self._database.all("memories_count_read", {"ids": known_ids(ids), "at": at, "enough": READS_KEEP})
        self._stats.add(READS, len(ids))
        self._database.changed(ids)

    def delete(self, ids: Sequence[str]) -> None:
        gone = self._held(known_ids(ids))
        self.index.drop({number: document(memory_texts(one)) for number, one in gone.items()})
        self._topics.drop(gone)
        rows = {"target": MEMORY, "seqs": list(gone)}
        self._database.all("vectors_gone", rows)
        self._database.all("unembedded_done", rows)
        params = {"ids": known_ids(ids)}
        released = self._database.all("memories_release", params)
        self._database.changed(row_id for (row_id,) in released)
        for step in ("conflicts_delete", "proposals_delete", "memories_delete"):
            self._database.all(step, params)

    def evict(self, ids: Sequence[str]) -> None:
        """Nothing waits for a scrub here, so that making room is the same as forgetting."""
        self.delete(ids)

    def _held(self, ids: Sequence[str]) -> dict[int, Memory]:
        """Return memories by the numbers of their rows: held against others, and as this transaction read them."""
        rows = self._database.all("memory_numbers", {"ids": list(ids)})
        for row_id, _, version in rows:
            self._database.check_unchanged(row_id, version)
        held = {one.id: one for one in self.get([row_id for row_id, _, _ in rows])}
        return {number: held[row_id] for row_id, number, _ in rows}

    def _pin(self) -> None:
        """Let nobody else pin until this transaction ends, and none that looked at the pins before."""
        self._database.check_unchanged(_PINS, self._pins("pins_more") - 1)
        self._database.changed([_PINS])

    def _pins(self, query: str) -> int:
        row = self._database.one(query, {"key": _PINS})
        return int(row[0]) if row else 0

    def _row(self, memory: Memory) -> dict[str, object]:
        """Write a memory, with the moment at which it fades."""
        row = memory_row(memory)
        return row | {"fades": self._fading(memory)} if self._fading else row

    def _select(self, query: str, params: Mapping[str, object]) -> list[Memory]:
        rows = self._database.all(query, params)
        self._database.saw((row[0], row[-1]) for row in rows)
        return [memory_of(row) for row in rows]


def _carried(memory: Memory) -> bool:
    return memory.status == PINNED and not memory.superseded
