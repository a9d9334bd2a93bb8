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
        conflicts = self._memories.conflicts
        start = list(conflicts).index(after) + 1 if after in conflicts else 0
        return list(conflicts.values())[start : start + limit]

    def unresolved(self, now: int, ids: Sequence[str] = ()) -> list[Conflict]:
        standing_conflicts = [
            conflict for conflict in self._memories.conflicts.values() if self._stands(conflict, now)
        ]
        return [
            conflict
            for conflict in standing_conflicts
            if not ids or not {conflict.first, conflict.second}.isdisjoint(ids)
        ][::-1]

    def about(self, memory_id: str) -> list[Conflict]:
        conflicts = self._memories.conflicts.values()
        return [conflict for conflict in conflicts if memory_id in (conflict.first, conflict.second)][::-1]

    def record(self, conflicts: Sequence[Conflict]) -> None:
        for conflict in conflicts:
            recorded_pairs = {(previous.first, previous.second) for previous in self._memories.conflicts.values()}
            if (conflict.first, conflict.second) not in recorded_pairs:
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
        proposals = self._memories.proposals
        start = list(proposals).index(after) + 1 if after in proposals else 0
        return list(proposals.values())[start : start + limit]

    def waiting(self) -> list[Proposal]:
        return [proposal for proposal in self._memories.proposals.values() if proposal.waits]

    def about(self, memory_id: str) -> list[Proposal]:
        return [
            proposal
            for proposal in self._memories.proposals.values()
            if memory_id in (proposal.memory, proposal.other)
        ]

    def put(self, proposals: Sequence[Proposal]) -> None:
        self._memories.proposals.update({proposal.id: proposal for proposal in proposals})
