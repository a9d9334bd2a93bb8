"""What a SQL store knows for its own upkeep: candidates in their order. The chores are the backend's."""

from abc import ABC, abstractmethod
from collections.abc import Mapping

from holdfast.model.limits import ACCESS_ROWS
from holdfast.model.memory import Fading, Memory
from holdfast.model.records import Totals
from holdfast.stores.sql.tables import Facet, Tables

READS = "total_reads"
"""Under which name reads are counted."""

PROMOTIONS = "total_promote"
"""Under which name promotions are counted."""

EVICTIONS = "total_evict"
"""Under which name evictions are counted."""

COMPACTED = "compacted_at"
"""Under which name a store remembers when it was last compacted."""

TENDED = "tended_at"
"""Under which name it remembers when it was last looked after."""

FADING = "fading"
"""Under which name a store remembers by which rules its memories fade."""


class SqlUpkeep(Facet, ABC):
    """`ports.Upkeep` over named queries, but for figures and chores."""

    def __init__(self, tables: Tables, fading: Fading | None = None) -> None:
        super().__init__(tables)
        self._fading = fading

    def fact(self, name: str) -> int | str | None:
        value: int | str | None = self._tables.fact(name)
        return value

    def note(self, name: str, value: int | str) -> None:
        self._tables.note(name, value)

    def totals(self) -> Totals:
        with self._tables.reading():
            counts = self._counts()
            compacted_at, tended_at = self.fact(COMPACTED), self.fact(TENDED)
        return Totals(
            promotions=counts.get(PROMOTIONS, 0),
            evictions=counts.get(EVICTIONS, 0),
            reads=counts.get(READS, 0),
            compacted_at=compacted_at if isinstance(compacted_at, int) else None,
            tended_at=tended_at if isinstance(tended_at, int) else None,
        )

    def resume(self, totals: Totals) -> None:
        self._set_counts({PROMOTIONS: totals.promotions, EVICTIONS: totals.evictions, READS: totals.reads})
        for name, moment in ((COMPACTED, totals.compacted_at), (TENDED, totals.tended_at)):
            if moment is not None:
                self.note(name, moment)

    @abstractmethod
    def _counts(self) -> Mapping[str, int]:
        """Return how often each thing was done since the store was made."""

    @abstractmethod
    def _set_counts(self, counts: Mapping[str, int]) -> None:
        """Go on counting from here."""

    def memories(self) -> int:
        return self._tables.number("memories_count")

    def accesses(self) -> int:
        return self._tables.number("accesses_count", {"kept": ACCESS_ROWS})

    def refaded(self) -> bool:
        return self._fading is None or self.fact(FADING) == self._fading.name

    def every(self, after: int, limit: int) -> list[tuple[int, Memory]]:
        return self._numbered("memories_numbered_after", after=after, limit=limit)

    def over(self, at: int, after: int, limit: int) -> list[tuple[int, Memory]]:
        return self._numbered("memories_over", at=at, after=after, limit=limit)

    def promoted(self) -> int:
        return self._tables.number("promoted_count")

    def promoted_after(self, after: int, limit: int) -> list[tuple[int, Memory]]:
        return self._numbered("promoted_after", after=after, limit=limit)

    def unmerged(self, after: int, limit: int) -> list[tuple[int, Memory]]:
        return self._numbered("memories_unmerged", after=after, limit=limit)

    def least_read(self, passed: int, limit: int) -> list[Memory]:
        return self._tables.select(Memory, "memories_least_read", {"passed": passed, "limit": limit})

    def spare_turns(self, ended_before: int | None, limit: int) -> list[tuple[str, int]]:
        rows = self._tables.all("turns_spare", {"ended_before": ended_before, "limit": limit})
        return [(turn_id, size) for turn_id, size in rows]

    def drop_accesses(self, limit: int) -> None:
        self._tables.all("accesses_oldest", {"limit": limit})

    def _numbered(self, query: str, **params: int) -> list[tuple[int, Memory]]:
        return self._tables.numbered(Memory, self._tables.all(query, params))
