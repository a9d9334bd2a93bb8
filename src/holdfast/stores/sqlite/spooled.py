"""Which entries of hooks' spools an embedded store has taken in."""

from collections.abc import Sequence

from holdfast.model.type_hints import cast
from holdfast.stores.sqlite.connection import Database
from holdfast.stores.sqlite.rows import to_json


class SqliteSpooled:
    """`ports.Spooled` on SQLite."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def claim(self, spool: str, sequence: int, at: int) -> bool:
        noted = self._database.one("spooled_claim", {"spool": spool, "sequence": sequence, "at": at})
        return noted is not None

    def noted(self) -> list[tuple[str, int, int]]:
        return cast("list[tuple[str, int, int]]", self._database.all("spooled_noted"))

    def release(self, before: int, present: Sequence[str]) -> None:
        self._database.all("spooled_release", {"before": before, "present": to_json(list(present))})
