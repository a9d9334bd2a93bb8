"""The proposals of the reference store."""

from collections.abc import Sequence

from holdfast.model.proposal import Proposal
from holdfast.stores.reference.memories import ReferenceMemories


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
