"""Which entries of hooks' spools a store on PostgreSQL has taken in."""

from collections.abc import Sequence

from holdfast.stores.postgres.connection import Database


class PostgresSpooled:
    """`ports.Spooled` on PostgreSQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def claim(self, spool: str, sequence: int, at: int) -> bool:
        noted = self._database.one("spooled_claim", {"spool": spool, "sequence": sequence, "at": at})
        return noted is not None

    def noted(self) -> list[tuple[str, int, int]]:
        return [(spool, sequence, at) for spool, sequence, at in self._database.all("spooled_noted")]

    def release(self, before: int, present: Sequence[str]) -> None:
        self._database.all("spooled_release", {"before": before, "present": list(present)})
