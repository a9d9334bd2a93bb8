"""The memories of an embedded store: what changes them."""

from collections.abc import Callable, Sequence
from functools import cached_property

from holdfast.model.kinds import PINNED
from holdfast.model.limits import READS_KEEP
from holdfast.model.memory import Memory
from holdfast.model.search import Filters
from holdfast.model.type_hints import TYPE_CHECKING
from holdfast.model.value import replace
from holdfast.stores.sql.memories import SqlMemories, retopics, reworded
from holdfast.stores.sqlite.connection import Database
from holdfast.stores.sqlite.matching import Matcher, dead_words_stay
from holdfast.stores.sqlite.rows import SCRUB_PENDING, SqliteTables
from holdfast.stores.weights import MEMORY_WEIGHTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.stores.sqlite.connection import Value
    from holdfast.stores.sqlite.topics import Topics


class SqliteMemories(SqlMemories):
    """`ports.Memories` on SQLite."""

    def __init__(
        self, database: Database, postings_budget: int, fading: Callable[[Memory], int | None] | None = None
    ) -> None:
        tables = SqliteTables(database)
        index = Matcher(tables, "memories", MEMORY_WEIGHTS, postings_budget)
        super().__init__(tables, index, fading)
        self._database = database

    @cached_property
    def _topics(self) -> "Topics":
        from holdfast.stores.sqlite.topics import Topics  # who only reads needs none

        return Topics(self._database)

    def newest(self, filters: Filters, limit: int) -> list[Memory]:
        if filters.statuses != (PINNED,):
            return super().newest(filters, limit)
        return self._tables.select(Memory, "memories_pinned", self._tables.filters(filters) | {"limit": limit})

    def history(self, memory_id: str) -> list[Memory]:
        return self._tables.select(Memory, "memories_history", {"id": memory_id})

    def insert(self, memories: Sequence[Memory]) -> None:
        self._database.many("memory_insert", map(self._row, memories))
        first = self._database.last_row() - len(memories) + 1
        self._topics.put(enumerate(memories, first))
        self._log("insert", [memory.id for memory in memories])

    def replace(self, memory: Memory) -> None:
        [before] = self.get([memory.id])
        row = self._row(memory)
        if reworded(before, memory):
            self._database.all("memory_rewrite", row)
        self._database.all("memory_settle", row)
        if retopics(before, memory):
            self._topics.drop([before])
            self._topics.put_again(memory)
        self._log("update", [memory.id])

    def count_read(self, ids: Sequence[str], at: int) -> None:
        params = {"ids": self._tables.ids(ids), "enough": READS_KEEP}
        if self._database.one("fading_clears", params):
            self._database.all("meta_add", {"key": "fading_mark", "value": 1})
        rows = self._database.all("memories_count_read", params | {"at": at})
        self._database.all("meta_add", {"key": "total_reads", "value": len(rows)})

    def delete(self, ids: Sequence[str]) -> None:
        self._remove(ids)
        self._tables.note(SCRUB_PENDING, 1)

    def evict(self, ids: Sequence[str]) -> None:
        with dead_words_stay(self._database, "memory"):
            self._remove(ids)

    def _remove(self, ids: Sequence[str]) -> None:
        params = {"ids": self._tables.ids(ids)}
        self._topics.drop(self.get(ids))
        self._release(params)
        self._database.all("conflicts_delete", params)
        self._database.all("proposals_delete", params)
        self._log("delete", ids)
        self._database.all("memories_delete", params)

    def _release(self, params: "Mapping[str, Value]") -> None:
        """Let go of what the removed memories had superseded; it stays history."""
        predecessors = self._tables.select(Memory, "memories_superseded_by", params)
        self._tables.put("memory_settle", (replace(memory, superseded_by=None) for memory in predecessors))

    def _log(self, action: str, ids: Sequence[str]) -> None:
        self._database.all("memories_changed", {"ids": self._tables.ids(ids), "action": action})
