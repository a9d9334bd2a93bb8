"""The memories of an embedded store."""

from collections.abc import Callable, Sequence

from holdfast.model.kinds import PINNED, PROMOTED, QUARANTINE
from holdfast.model.limits import READS_KEEP
from holdfast.model.memory import Memory
from holdfast.model.search import Filters, Matches, Term
from holdfast.model.type_hints import TYPE_CHECKING, cast
from holdfast.model.value import replace
from holdfast.stores.sqlite.connection import Database
from holdfast.stores.sqlite.matching import Matcher
from holdfast.stores.sqlite.rows import filter_row, memory_of, memory_row, to_json
from holdfast.stores.sqlite.seals import readable
from holdfast.stores.sqlite.topics import Topics
from holdfast.stores.sqlite.upkeep import dead_words_stay
from holdfast.stores.walk_ends import Ends
from holdfast.stores.weights import MEMORY_WEIGHTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.stores.sqlite.connection import Value

_INDEXED = ("kind", "title", "content", "context", "tags", "files")


class SqliteMemories:
    """`ports.Memories` on SQLite."""

    def __init__(
        self, database: Database, postings_budget: int, fading: Callable[[Memory], int | None] | None = None
    ) -> None:
        self._database = database
        self._fading = fading
        self._topics = Topics(database)
        self._ends = Ends()
        self._matcher = Matcher(database, "memories", MEMORY_WEIGHTS, postings_budget)

    def get(self, ids: Sequence[str]) -> list[Memory]:
        wanted = to_json(list(ids))
        found = {memory.id: memory for memory in self._select("memories_get", {"ids": wanted})}
        if len(found) < len(set(ids)):  # there is none, or the index of ids is damaged: there is another
            more = self._select(
                "memories_get_by_tail", {"ids": wanted, "tails": to_json([one[-8:] for one in ids])}
            )
            found |= {memory.id: memory for memory in more}
        return [found[memory_id] for memory_id in ids if memory_id in found]

    def ending(self, tail: str) -> list[str]:
        rows = self._database.all("memories_ending", {"tail": tail[-8:]})
        return [full for (full,) in cast("list[tuple[str]]", rows) if full.replace("-", "").endswith(tail)]

    def saying(self, project: str, fingerprints: Sequence[str]) -> dict[str, Memory]:
        params = {"project": project, "fingerprints": to_json(list(fingerprints))}
        return {memory.fingerprint: memory for memory in self._select("memories_saying", params)}

    def ever_saying(self, project: str, fingerprints: Sequence[str]) -> list[Memory]:
        params = {"project": project, "fingerprints": to_json(list(fingerprints))}
        found = self._select("memories_ever_saying", params)
        return sorted(found, key=lambda one: (not one.superseded, one.valid_until or 0))

    def akin(self, project: str, texts: Sequence[str], now: int, limit: int) -> list[list[Memory]]:
        found = self._topics.akin(texts, 2 * limit)
        return [[one for one in near if one.project == project and one.current(now)][:limit] for near in found]

    def walk(self, after: str | None, limit: int) -> list[Memory]:
        start, ended = after, self._ends.of(after)
        while rows := self._database.all("memories_walk", {"after": start, "ended": ended, "limit": limit}):
            start, ended = None, cast(int, rows[-1][0])
            walked = readable(self._database, "memory", memory_of, [row[1:] for row in rows])
            if walked:
                self._ends.note(walked[-1].id, ended)
                return walked
        return []

    def quarantined(self, before: int, limit: int) -> list[Memory]:
        marks = {"source": PROMOTED, "mark": QUARANTINE}
        return self._select("memories_quarantined", {"before": before, "limit": limit, **marks})

    def newest(self, filters: Filters, limit: int) -> list[Memory]:
        query = "memories_pinned" if filters.statuses == (PINNED,) else "memories_newest"
        return self._select(query, filter_row(filters) | {"limit": limit})

    def around(self, anchor: Memory, window: int, filters: Filters) -> list[Memory]:
        params = filter_row(filters) | {"id": anchor.id, "created_at": anchor.created_at, "window": window}
        with self._database.reading():
            before = self._select("memories_before", params)
            after = self._select("memories_after", params)
        return [*reversed(before), anchor, *after]

    def history(self, memory_id: str) -> list[Memory]:
        return self._select("memories_history", {"id": memory_id})

    def match(
        self, terms: Sequence[Term], filters: Filters, limit: int, most_postings: int | None = None
    ) -> Matches:
        return self._matcher.match(terms, filters, limit, most_postings)

    def words(self, lead: str) -> dict[str, int]:
        return self._matcher.words(lead)

    def insert(self, memories: Sequence[Memory]) -> None:
        self._database.many("memory_insert", map(self._row, memories))
        first = self._database.last_row() - len(memories) + 1
        self._topics.put(enumerate(memories, first))
        self._log("insert", [memory.id for memory in memories])

    def replace(self, memory: Memory) -> None:
        [before] = self.get([memory.id])
        row = self._row(memory)
        if any(getattr(before, name) != getattr(memory, name) for name in _INDEXED):
            self._database.all("memory_rewrite", row)
        self._database.all("memory_settle", row)
        if (before.content, before.superseded) != (memory.content, memory.superseded):
            self._topics.drop([before])
            self._topics.put_again(memory)
        self._log("update", [memory.id])

    def count_read(self, ids: Sequence[str], at: int) -> None:
        wanted: dict[str, Value] = {"ids": to_json(list(ids)), "enough": READS_KEEP}
        if self._database.one("fading_clears", wanted):
            self._database.all("meta_add", {"key": "fading_mark", "value": 1})
        self._database.all("memories_count_read", wanted | {"at": at})
        self._database.all("meta_add", {"key": "total_reads", "value": len(ids)})

    def delete(self, ids: Sequence[str]) -> None:
        self._remove(ids)
        self._database.all("meta_set", {"key": "scrub_pending", "value": 1})

    def evict(self, ids: Sequence[str]) -> None:
        with dead_words_stay(self._database, "memory"):
            self._remove(ids)

    def _remove(self, ids: Sequence[str]) -> None:
        params = {"ids": to_json(list(ids))}
        self._topics.drop(self.get(ids))
        self._release(params)
        self._database.all("conflicts_delete", params)
        self._database.all("proposals_delete", params)
        self._log("delete", ids)
        self._database.all("memories_delete", params)

    def _release(self, params: "Mapping[str, Value]") -> None:
        """Let go of what the removed memories had superseded; it stays history."""
        released = self._select("memories_superseded_by", params)
        self._database.many("memory_settle", (memory_row(replace(one, superseded_by=None)) for one in released))

    def _select(self, query: str, params: "Mapping[str, Value]") -> list[Memory]:
        return readable(self._database, "memory", memory_of, self._database.all(query, params))

    def _row(self, memory: Memory) -> "Mapping[str, Value]":
        """Write a memory, with the moment at which it fades."""
        row = memory_row(memory)
        return {**row, "fades": self._fading(memory)} if self._fading else row

    def _log(self, action: str, ids: Sequence[str]) -> None:
        self._database.all("memories_changed", {"ids": to_json(list(ids)), "action": action})
