"""The proposals of an embedded store."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from holdfast.model.proposal import Proposal
from holdfast.stores.sqlite.connection import Database
from holdfast.stores.sqlite.rows import proposal_of, proposal_row
from holdfast.stores.sqlite.seals import readable

if TYPE_CHECKING:
    from holdfast.stores.sqlite.connection import Value


class SqliteProposals:
    """`ports.Proposals` on SQLite."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, proposal_id: str) -> Proposal | None:
        return next(iter(self._select("proposal_get", {"id": proposal_id})), None)

    def ending(self, tail: str) -> list[str]:
        rows = self._database.all("proposals_ending", {"tail": tail[-8:]})
        return [full for (full,) in cast("list[tuple[str]]", rows) if full.replace("-", "").endswith(tail)]

    def walk(self, after: str | None, limit: int) -> list[Proposal]:
        return self._select("proposals_walk", {"after": after, "limit": limit})

    def waiting(self) -> list[Proposal]:
        return self._select("proposals_waiting", {})

    def about(self, memory_id: str) -> list[Proposal]:
        return self._select("proposals_about", {"memory": memory_id})

    def put(self, proposals: Sequence[Proposal]) -> None:
        self._database.many("proposal_put", map(proposal_row, proposals))

    def _select(self, query: str, params: "Mapping[str, Value]") -> list[Proposal]:
        return readable(self._database, "proposal", proposal_of, self._database.all(query, params))
