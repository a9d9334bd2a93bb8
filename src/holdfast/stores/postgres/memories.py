"""The memories of a store on PostgreSQL: what changes them, and what is held against other writers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

from holdfast.model.kinds import PINNED
from holdfast.model.limits import READS_KEEP
from holdfast.model.memory import Memory
from holdfast.model.search import Filters
from holdfast.model.vectors import MEMORY
from holdfast.stores.postgres.database import Database
from holdfast.stores.postgres.matching import Matcher, memory_document
from holdfast.stores.postgres.rows import PostgresTables, known_ids
from holdfast.stores.postgres.stats import Stats
from holdfast.stores.sql.memories import SqlMemories, SqlTopics, retopics, reworded, topic_rows
from holdfast.stores.sql.records import READS
from holdfast.stores.sql.tables import TAIL_DIGITS
from holdfast.stores.topics import topic_of
from holdfast.stores.weights import MEMORY_WEIGHTS

_PINS = "pins"
"""Under which name it is counted how often something was pinned: who looked before another did has lost a race."""


class PostgresTopics(SqlTopics):
    """The words that the memories of one store are found by."""

    def put(self, memories: Iterable[tuple[int, Memory]]) -> None:
        """Let memories be found, those that hold, by the numbers of their rows."""
        rows = topic_rows([(number, memory.content) for number, memory in memories if not memory.superseded])
        if rows:
            words, numbers, sizes = zip(*rows, strict=True)
            params = {"words": list(words), "memories": list(numbers), "sizes": list(sizes)}
            self._tables.all("topics_put", params)

    def drop(self, memories: Mapping[int, Memory]) -> None:
        """Let memories not be found any more, by the numbers of their rows."""
        rows = [(word, number) for number, memory in memories.items() for word in topic_of(memory.content)]
        if rows:
            words, numbers = zip(*rows, strict=True)
            self._tables.all("topics_drop", {"words": list(words), "memories": list(numbers)})

    def _tickets(self, words: list[int]) -> Mapping[int, Sequence[int]]:
        return dict(self._tables.all("topics_of", self._wanted(words)))


class PostgresMemories(SqlMemories):
    """`ports.Memories` on PostgreSQL."""

    _index: Matcher

    def __init__(
        self, database: Database, postings_budget: int, fading: Callable[[Memory], int | None] | None = None
    ) -> None:
        tables = PostgresTables(database)
        index = Matcher(database, "memories", MEMORY, MEMORY_WEIGHTS, postings_budget)
        super().__init__(tables, index, fading)
        self._database = database
        self._stats = Stats(database)

    @cached_property
    def _topics(self) -> PostgresTopics:
        return PostgresTopics(self._tables)

    def get(self, ids: Sequence[str]) -> list[Memory]:
        rows = self._database.held(ids)
        present_ids = {row[1] for row in rows}
        missing_ids = [memory_id for memory_id in known_ids(ids) if memory_id not in present_ids]
        if missing_ids:
            fresh = self._database.all("memories_get", {"ids": missing_ids})
            self._database.hold(fresh)
            rows += fresh
        self._database.will_show(row[1] for row in rows)
        memories_by_id = {memory.id: memory for _, memory in self._tables.numbered(Memory, rows)}
        return [memories_by_id[memory_id] for memory_id in ids if memory_id in memories_by_id]

    def ending(self, tail: str) -> list[str]:
        """Who shows memories asks for the short id of each: what the transaction read is asked for at once."""
        full_ids = self._database.ids_ending(tail[-TAIL_DIGITS:])
        return [full for full in full_ids if full.replace("-", "").endswith(tail)]

    def newest(self, filters: Filters, limit: int) -> list[Memory]:
        if self._database.in_writing and filters.statuses == (PINNED,):
            self._database.saw([(_PINS, self._pins("pins_now"))])
        return super().newest(filters, limit)

    def history(self, memory_id: str) -> list[Memory]:
        tied_ids = set(known_ids([memory_id]))
        with self._database.reading():
            edge = tied_ids
            while edge:
                rows = self._database.all("memories_neighbours", {"ids": list(edge)})
                edge = {full for (full,) in rows} - tied_ids
                tied_ids = tied_ids | edge
            return self._tables.select(Memory, "memories_in_order", {"ids": list(tied_ids)})

    def insert(self, memories: Sequence[Memory]) -> None:
        if any(_is_pinned(memory) for memory in memories):
            self._pin()
        rows = [self._row(memory) for memory in memories]
        numbers: dict[str, int] = dict(self._database.put("memory_insert", rows))
        numbered_memories = [(numbers[memory.id], memory) for memory in memories]
        self._index.put({number: memory_document(memory) for number, memory in numbered_memories})
        self._topics.put(numbered_memories)
        self._database.let_wait(MEMORY, numbers.values())
        self._database.remember_rows(MEMORY, numbers)

    def replace(self, memory: Memory) -> None:
        memories_by_number = self._lock_by_number([memory.id])
        if not memories_by_number:
            self._database.raced(f"{memory.id} is gone")
        [(number, before)] = memories_by_number.items()
        if _is_pinned(memory) and not _is_pinned(before):
            self._pin()
        self._database.all("memory_replace", self._row(memory))
        if reworded(before, memory):
            self._index.change(number, memory_document(before), memory_document(memory))
        if retopics(before, memory):
            self._topics.drop({number: before})
            self._topics.put([(number, memory)])
        if (before.title, before.content) != (memory.title, memory.content):
            self._stats.drop_vectors(MEMORY, [number])
            self._database.let_wait(MEMORY, [number])
        self._database.changed([memory.id])

    def count_read(self, ids: Sequence[str], at: int) -> None:
        rows = self._database.all("memories_count_read", {"ids": known_ids(ids), "at": at, "enough": READS_KEEP})
        self._stats.add(READS, len(rows))
        self._database.changed(ids)
        self._database.hold(rows)

    def delete(self, ids: Sequence[str]) -> None:
        memories_by_number = self._lock_by_number(known_ids(ids))
        self._index.drop({number: memory_document(memory) for number, memory in memories_by_number.items()})
        self._topics.drop(memories_by_number)
        self._stats.drop_vectors(MEMORY, list(memories_by_number))
        self._database.waiting_rows(MEMORY).difference_update(memories_by_number)
        self._database.all("unembedded_done", {"target": MEMORY, "seqs": list(memories_by_number)})
        params = {"ids": known_ids(ids)}
        released_rows = self._database.all("memories_release", params)
        self._database.changed(row_id for (row_id,) in released_rows)
        for step in ("conflicts_delete", "proposals_delete", "memories_delete"):
            self._database.all(step, params)
        self._database.changed(ids)

    def evict(self, ids: Sequence[str]) -> None:
        """Nothing waits for a scrub here, so that making room is the same as forgetting."""
        self.delete(ids)

    def _lock_by_number(self, ids: Sequence[str]) -> dict[int, Memory]:
        """Return memories by the numbers of their rows: held against others, and as this transaction read them."""
        rows = self._database.held(ids)
        if len(rows) < len(set(ids)):
            rows = self._database.all("memories_hold", {"ids": list(ids)})
        for row in rows:
            self._database.check_unchanged(row[1], row[-1])
        return dict(self._tables.numbered(Memory, rows))

    def _pin(self) -> None:
        """Let nobody else pin until this transaction ends, and none that looked at the pins before."""
        self._database.check_unchanged(_PINS, self._pins("pins_more") - 1)
        self._database.changed([_PINS])

    def _pins(self, query: str) -> int:
        row = self._database.one(query, {"key": _PINS})
        return int(row[0]) if row else 0


def _is_pinned(memory: Memory) -> bool:
    return memory.status == PINNED and not memory.superseded
