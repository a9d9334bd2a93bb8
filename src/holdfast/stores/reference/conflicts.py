"""What waits for a person in the reference store: memories that disagree, and what agents asked for."""

from collections.abc import Sequence

from holdfast.model.conflict import Conflict
from holdfast.model.proposal import Proposal
from holdfast.stores.reference.memories import ReferenceMemories


class ReferenceConflicts:
    """`ports.Conflicts` over the rows that the memories keep, because the two go together."""

    def __init__(self, memories: ReferenceMemories) -> None:
        self._memories = memories

    def get(self, conflict_id: str) -> Conflict | None:
        return self._memories.conflicts.get(conflict_id)

    def ending(self, tail: str) -> list[str]:
        return [full for full in self._memories.conflicts if full.replace("-", "").endswith(tail)]

    def walk(self, after: str | None, limit: int) -> list[Conflict]:
        known = self._memories.conflicts
        start = list(known).index(after) + 1 if after in known else 0
        return list(known.values())[start : start + limit]

    def unresolved(self, now: int, ids: Sequence[str] = ()) -> list[Conflict]:
        found = [one for one in self._memories.conflicts.values() if self._stands(one, now)]
        return [one for one in found if not ids or not {one.first, one.second}.isdisjoint(ids)][::-1]

    def record(self, conflicts: Sequence[Conflict]) -> None:
        for conflict in conflicts:
            known = {(one.first, one.second) for one in self._memories.conflicts.values()}
            if (conflict.first, conflict.second) not in known:
                self._memories.conflicts[conflict.id] = conflict

    def settle(self, conflict: Conflict) -> None:
        self._memories.conflicts[conflict.id] = conflict

    def _stands(self, conflict: Conflict, now: int) -> bool:
        sides = self._memories.get([conflict.first, conflict.second])
        return conflict.resolved_at is None and len(sides) == 2 and all(side.current(now) for side in sides)


class ReferenceProposals:
    """`ports.Proposals` over the rows that the memories keep, because the two go together."""

    def __init__(self, memories: ReferenceMemories) -> None:
        self._memories = memories

    def get(self, proposal_id: str) -> Proposal | None:
        return self._memories.proposals.get(proposal_id)

    def ending(self, tail: str) -> list[str]:
        return [full for full in self._memories.proposals if full.replace("-", "").endswith(tail)]

    def walk(self, after: str | None, limit: int) -> list[Proposal]:
        known = self._memories.proposals
        start = list(known).index(after) + 1 if after in known else 0
        return list(known.values())[start : start + limit]

    def waiting(self) -> list[Proposal]:
        return [one for one in self._memories.proposals.values() if one.waits]

    def about(self, memory_id: str) -> list[Proposal]:
        return [one for one in self._memories.proposals.values() if memory_id in (one.memory, one.other)]

    def put(self, proposals: Sequence[Proposal]) -> None:
        self._memories.proposals.update({one.id: one for one in proposals})
