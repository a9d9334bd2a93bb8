"""The proposals of a store on PostgreSQL."""

from collections.abc import Sequence

from holdfast.model.proposal import Proposal
from holdfast.stores.postgres.connection import Database
from holdfast.stores.postgres.rows import id_or_none, proposal_of, proposal_row


class PostgresProposals:
    """`ports.Proposals` on PostgreSQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, proposal_id: str) -> Proposal | None:
        row = self._database.one("proposal_get", {"id": id_or_none(proposal_id)})
        return proposal_of(row) if row else None

    def ending(self, tail: str) -> list[str]:
        rows = self._database.all("proposals_ending", {"tail": tail[-8:]})
        return [full for (full,) in rows if full.replace("-", "").endswith(tail)]

    def walk(self, after: str | None, limit: int) -> list[Proposal]:
        rows = self._database.all("proposals_walk", {"after": id_or_none(after), "limit": limit})
        return [proposal_of(row) for row in rows]

    def waiting(self) -> list[Proposal]:
        return [proposal_of(row) for row in self._database.all("proposals_waiting")]

    def about(self, memory_id: str) -> list[Proposal]:
        rows = self._database.all("proposals_about", {"memory": id_or_none(memory_id)})
        return [proposal_of(row) for row in rows]

    def put(self, proposals: Sequence[Proposal]) -> None:
        self._database.many("proposal_put", map(proposal_row, proposals))
