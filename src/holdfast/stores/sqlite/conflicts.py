"""The conflicts of an embedded store."""

from collections.abc import Mapping, Sequence

from holdfast.model.conflict import Conflict
from holdfast.model.type_hints import TYPE_CHECKING, cast
from holdfast.stores.sqlite.connection import Database
from holdfast.stores.sqlite.rows import conflict_of, conflict_row, json_list
from holdfast.stores.sqlite.seals import readable

if TYPE_CHECKING:
    from holdfast.stores.sqlite.connection import Value


class SqliteConflicts:
    """`ports.Conflicts` on SQLite."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, conflict_id: str) -> Conflict | None:
        return next(iter(self._select("conflict_get", {"id": conflict_id})), None)

    def ending(self, tail: str) -> list[str]:
        rows = self._database.all("conflicts_ending", {"tail": tail[-8:]})
        return [full for (full,) in cast("list[tuple[str]]", rows) if full.replace("-", "").endswith(tail)]

    def walk(self, after: str | None, limit: int) -> list[Conflict]:
        return self._select("conflicts_walk", {"after": after, "limit": limit})

    def unresolved(self, now: int, ids: Sequence[str] = ()) -> list[Conflict]:
        return self._select("conflicts_unresolved", {"now": now, "ids": json_list(ids)})

    def record(self, conflicts: Sequence[Conflict]) -> None:
        self._database.many("conflict_record", map(conflict_row, conflicts))

    def settle(self, conflict: Conflict) -> None:
        self._database.all("conflict_settle", conflict_row(conflict))

    def _select(self, query: str, params: "Mapping[str, Value]") -> list[Conflict]:
        return readable(self._database, "conflict", conflict_of, self._database.all(query, params))
