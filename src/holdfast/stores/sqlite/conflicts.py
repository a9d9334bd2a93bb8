"""The conflicts of an embedded store."""

from collections.abc import Sequence

from holdfast.hints import cast
from holdfast.model.conflict import Conflict
from holdfast.stores.sqlite.connection import Database
from holdfast.stores.sqlite.rows import conflict_of, conflict_row, json_list


class SqliteConflicts:
    """`ports.Conflicts` on SQLite."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, conflict_id: str) -> Conflict | None:
        row = self._database.one("conflict_get", {"id": conflict_id})
        return conflict_of(row) if row else None

    def ending(self, tail: str) -> list[str]:
        rows = self._database.all("conflicts_ending", {"tail": tail[-8:]})
        return [full for (full,) in cast("list[tuple[str]]", rows) if full.replace("-", "").endswith(tail)]

    def walk(self, after: str | None, limit: int) -> list[Conflict]:
        rows = self._database.all("conflicts_walk", {"after": after, "limit": limit})
        return [conflict_of(row) for row in rows]

    def unresolved(self, now: int, ids: Sequence[str] = ()) -> list[Conflict]:
        params = {"now": now, "ids": json_list(ids)}
        return [conflict_of(row) for row in self._database.all("conflicts_unresolved", params)]

    def record(self, conflicts: Sequence[Conflict]) -> None:
        self._database.many("conflict_record", map(conflict_row, conflicts))

    def settle(self, conflict: Conflict) -> None:
        self._database.all("conflict_settle", conflict_row(conflict))
