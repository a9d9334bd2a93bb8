"""What a store on PostgreSQL knows and does for its own upkeep: facts, candidates in order, chores in slices.

Room is given back by the server's own vacuum. What is left to do here are the batches that spare writers from
waiting for each other: changes summed up, events put into the chain, void queries put out of their rows.
"""

import json

from holdfast.model.fading import Fading
from holdfast.model.limits import ACCESS_ROWS
from holdfast.model.memory import Memory
from holdfast.model.records import IndexHealth, Totals
from holdfast.model.vectors import MEMORY, TURN
from holdfast.stores.postgres.connection import Database
from holdfast.stores.postgres.memories import READS
from holdfast.stores.postgres.records import SEAL_MOST, PostgresAccesses, PostgresAudit
from holdfast.stores.postgres.rows import memory_of
from holdfast.stores.postgres.stats import Stats

REFADED_ONCE = "refaded_once"
"""Under which name a store remembers by which rules its rows were gone through once."""


class PostgresUpkeep:
    """`ports.Upkeep` on PostgreSQL."""

    def __init__(
        self, database: Database, audit: PostgresAudit, accesses: PostgresAccesses, fading: Fading | None = None
    ) -> None:
        self._database = database
        self._stats = Stats(database)
        self._audit = audit
        self._accesses = accesses
        self._fading = fading

    def fact(self, name: str) -> int | str | None:
        row = self._database.one("meta_get", {"key": name})
        found: int | str | None = json.loads(row[0]) if row else None
        return found

    def note(self, name: str, value: int | str) -> None:
        self._database.all("meta_set", {"key": name, "value": json.dumps(value)})

    def totals(self) -> Totals:
        with self._database.reading():
            numbers = self._stats.numbers()
            compacted, tended = self.fact("compacted_at"), self.fact("tended_at")
        return Totals(
            promotions=numbers.get("total_promote", 0),
            evictions=numbers.get("total_evict", 0),
            reads=numbers.get(READS, 0),
            compacted_at=compacted if isinstance(compacted, int) else None,
            tended_at=tended if isinstance(tended, int) else None,
        )

    def resume(self, totals: Totals) -> None:
        wanted = {"total_promote": totals.promotions, "total_evict": totals.evictions, READS: totals.reads}
        here = self._stats.numbers()
        for name, number in wanted.items():
            self._stats.add(name, number - here.get(name, 0))
        for name, moment in (("compacted_at", totals.compacted_at), ("tended_at", totals.tended_at)):
            if moment is not None:
                self.note(name, moment)

    def health(self) -> IndexHealth:
        with self._database.reading():
            [(rows, waiting)] = self._database.all("rows_and_waiting")
            numbers, used = self._stats.numbers(), self.used()
        indexed = numbers.get(MEMORY, 0) + numbers.get(TURN, 0)
        return IndexHealth(rows=rows, indexed=indexed, waiting=waiting, file_bytes=used, free_bytes=0)

    def used(self) -> int:
        """Return an account of what is kept, not a measurement: a table holds the rows of many stores."""
        return self._stats.used()

    def memories(self) -> int:
        return self._count("memories_count")

    def accesses(self) -> int:
        return int(self._database.all("accesses_count", {"kept": ACCESS_ROWS})[0][0])

    def refaded(self) -> bool:
        return self._fading is None or self.fact("fading") == self._fading.name

    def refade(self, after: int, limit: int) -> int | None:
        if self._fading is None:
            return None
        rows = self._database.all("memories_numbered_after", {"after": after, "limit": limit})
        read = [(row[0], memory_of(row[1:]), row[-1]) for row in rows]
        other = [(seq, self._fading(one), version) for seq, one, version in read if one.fades != self._fading(one)]
        self._refade(other)
        if not read:
            self._end_refading(self._fading.name)
        return read[-1][0] if read else None

    def _end_refading(self, name: str) -> None:
        """Note that every row fades by these rules, once it was gone through twice, in two rounds.

        A writer that knew older rules may keep a row with a lower number after it was passed in the first.
        """
        if self.fact(REFADED_ONCE) == name:
            self.note("fading", name)
        else:
            self.note(REFADED_ONCE, name)

    def every(self, after: int, limit: int) -> list[tuple[int, Memory]]:
        return self._numbered("memories_numbered_after", after=after, limit=limit)

    def over(self, at: int, after: int, limit: int) -> list[tuple[int, Memory]]:
        return self._numbered("memories_over", at=at, after=after, limit=limit)

    def promoted(self) -> int:
        return self._count("promoted_count")

    def promoted_after(self, after: int, limit: int) -> list[tuple[int, Memory]]:
        return self._numbered("promoted_after", after=after, limit=limit)

    def unmerged(self, after: int, limit: int) -> list[tuple[int, Memory]]:
        return self._numbered("memories_unmerged", after=after, limit=limit)

    def least_read(self, passed: int, limit: int) -> list[Memory]:
        rows = self._database.all("memories_least_read", {"passed": passed, "limit": limit})
        self._database.saw((row[0], row[-1]) for row in rows)
        return [memory_of(row) for row in rows]

    def spare_turns(self, ended_before: int | None, limit: int) -> list[tuple[str, int]]:
        rows = self._database.all("turns_spare", {"ended_before": ended_before, "limit": limit})
        return [(turn_id, size) for turn_id, size in rows]

    def drop_accesses(self, limit: int) -> None:
        self._database.all("accesses_oldest", {"limit": limit})

    def untidy(self) -> bool:
        return bool(self._stats.loose()) or self._audit.loose() or self._accesses.loose()

    def compact(self, pages: int) -> bool:
        """Do one slice of a chore; pages are the server's business. What somebody else is at is left to them."""
        if any(self._stats.fold(target) for target in self._stats.loose()):
            return True
        if self._accesses.loose() and self._accesses.blank():
            return True
        return self._audit.loose() and self._audit.seal() == SEAL_MOST

    def _refade(self, other: list[tuple[int, int | None, int]]) -> None:
        seqs, fades, versions = zip(*other, strict=True) if other else ((), (), ())
        params = {"seqs": list(seqs), "fades": list(fades), "versions": list(versions)}
        changed = self._database.all("memories_refade", params)
        if len(changed) < len(other):
            self._database.raced("memories were changed meanwhile")
        self._database.changed(row_id for (row_id,) in changed)

    def _count(self, query: str) -> int:
        return int(self._database.all(query)[0][0])

    def _numbered(self, query: str, **params: int) -> list[tuple[int, Memory]]:
        rows = self._database.all(query, params)
        self._database.saw((row[1], row[-1]) for row in rows)
        return [(row[0], memory_of(row[1:])) for row in rows]
