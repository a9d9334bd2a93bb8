"""What a store on PostgreSQL knows and does for its own upkeep: facts, candidates in order, chores in slices.

Room is given back by the server's own vacuum. What is left to do here are the batches that spare writers from
waiting for each other: changes summed up, events put into the chain, void queries put out of their rows.
"""

from collections.abc import Mapping

from holdfast.model.memory import Fading, Memory
from holdfast.model.records import IndexHealth
from holdfast.model.vectors import MEMORY, TURN
from holdfast.stores.postgres.connection import Database
from holdfast.stores.postgres.records import SEAL_MOST, PostgresAccesses, PostgresAudit
from holdfast.stores.postgres.rows import PostgresTables, value_of
from holdfast.stores.postgres.stats import Stats
from holdfast.stores.sql.upkeep import FADING, SqlUpkeep

REFADED_ONCE = "refaded_once"
"""Under which name a store remembers by which rules its rows were gone through once."""


class PostgresUpkeep(SqlUpkeep):
    """`ports.Upkeep` on PostgreSQL."""

    def __init__(
        self, database: Database, audit: PostgresAudit, accesses: PostgresAccesses, fading: Fading | None = None
    ) -> None:
        super().__init__(PostgresTables(database), fading)
        self._database = database
        self._stats = Stats(database)
        self._audit = audit
        self._accesses = accesses

    def health(self) -> IndexHealth:
        with self._database.reading():
            [(rows, waiting_rows)] = self._database.all("rows_and_waiting")
            numbers, used = self._stats.numbers(), self.used()
        indexed_rows = numbers.get(MEMORY, 0) + numbers.get(TURN, 0)
        return IndexHealth(rows=rows, indexed=indexed_rows, waiting=waiting_rows, file_bytes=used, free_bytes=0)

    def used(self) -> int:
        """Return an account of what is kept, not a measurement: a table holds the rows of many stores."""
        return self._stats.used()

    def refade(self, after: int, limit: int) -> int | None:
        if self._fading is None:
            return None
        rows = self._database.all("memories_numbered_after", {"after": after, "limit": limit})
        changes = []
        for row in rows:
            number, *_, version = row
            memory = value_of(Memory, row[1:])
            fades_at = self._fading(memory)
            if memory.fades != fades_at:
                changes.append((number, fades_at, version))
        self._refade(changes)
        if not rows:
            self._end_refading(self._fading.name)
        return rows[-1][0] if rows else None

    def _end_refading(self, name: str) -> None:
        """Note that every row fades by these rules, once it was gone through twice, in two rounds.

        A writer that knew older rules may keep a row with a lower number after it was passed in the first.
        """
        if self.fact(REFADED_ONCE) == name:
            self.note(FADING, name)
        else:
            self.note(REFADED_ONCE, name)

    def untidy(self) -> bool:
        return bool(self._stats.loose()) or self._audit.loose() or self._accesses.loose()

    def compact(self, pages: int) -> bool:
        """Do one slice of a chore; pages are the server's business. What somebody else is at is left to them."""
        if any(self._stats.fold(target) for target in self._stats.loose()):
            return True
        if self._accesses.loose() and self._accesses.blank():
            return True
        return self._audit.loose() and self._audit.seal() == SEAL_MOST

    def _refade(self, changes: list[tuple[int, int | None, int]]) -> None:
        """Write when rows fade, by their numbers, unless they have another version by now."""
        seqs, fades, versions = zip(*changes, strict=True) if changes else ((), (), ())
        params = {"seqs": list(seqs), "fades": list(fades), "versions": list(versions)}
        changed_rows = self._database.all("memories_refade", params)
        if len(changed_rows) < len(changes):
            self._database.raced("memories were changed meanwhile")
        self._database.changed(row_id for (row_id,) in changed_rows)

    def _counts(self) -> Mapping[str, int]:
        return self._stats.numbers()

    def _set_counts(self, counts: Mapping[str, int]) -> None:
        numbers = self._stats.numbers()
        for name, count in counts.items():
            self._stats.add(name, count - numbers.get(name, 0))
