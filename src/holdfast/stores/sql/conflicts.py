"""What waits for a person in a SQL store: memories that disagree, and what agents asked for."""

from collections.abc import Sequence

from holdfast.model.inbox import Proposal
from holdfast.model.memory import Conflict
from holdfast.stores.sql.tables import NamedFacet


class SqlConflicts(NamedFacet):
    """`ports.Conflicts` over named queries."""

    entries = "conflicts"

    def get(self, conflict_id: str) -> Conflict | None:
        return self._tables.first(Conflict, "conflict_get", {"id": self._tables.id(conflict_id)})

    def walk(self, after: str | None, limit: int) -> list[Conflict]:
        return self._tables.select(Conflict, "conflicts_walk", {"after": self._tables.id(after), "limit": limit})

    def unresolved(self, now: int, ids: Sequence[str] = ()) -> list[Conflict]:
        params = {"now": now, "ids": self._tables.ids(ids) if ids else None}
        return self._tables.select(Conflict, "conflicts_unresolved", params)

    def record(self, conflicts: Sequence[Conflict]) -> None:
        self._tables.put("conflict_record", conflicts)

    def settle(self, conflict: Conflict) -> None:
        self._tables.all("conflict_settle", self._tables.row(conflict))


class SqlProposals(NamedFacet):
    """`ports.Proposals` over named queries."""

    entries = "proposals"

    def get(self, proposal_id: str) -> Proposal | None:
        return self._tables.first(Proposal, "proposal_get", {"id": self._tables.id(proposal_id)})

    def walk(self, after: str | None, limit: int) -> list[Proposal]:
        return self._tables.select(Proposal, "proposals_walk", {"after": self._tables.id(after), "limit": limit})

    def waiting(self) -> list[Proposal]:
        return self._tables.select(Proposal, "proposals_waiting")

    def about(self, memory_id: str) -> list[Proposal]:
        return self._tables.select(Proposal, "proposals_about", {"memory": self._tables.id(memory_id)})

    def put(self, proposals: Sequence[Proposal]) -> None:
        self._tables.put("proposal_put", proposals)
