"""The memories of the reference store: conflicts between them, and what agents asked for about them."""

from collections.abc import Callable, Sequence

from holdfast.errors import StoreError
from holdfast.model.inbox import Proposal
from holdfast.model.kinds import CANDIDATE, PROMOTED, QUARANTINE
from holdfast.model.limits import READS_KEEP
from holdfast.model.memory import Conflict, Memory
from holdfast.model.search import Filters, Matches, Term
from holdfast.model.value import replace
from holdfast.stores.analyser import identifiers
from holdfast.stores.reference.index import Index, memory_passes
from holdfast.stores.topics import ASKED_WORDS, MOST_TICKETS, nearest, ticket, topic_of


class ReferenceMemories:
    """`ports.Memories` in a dict, in the order of arrival."""

    def __init__(self, index: Index, fading: Callable[[Memory], int | None] | None = None) -> None:
        self.rows: dict[str, Memory] = {}
        self.arrived: dict[str, None] = {}
        self.reads = 0
        self._fading = fading
        self.conflicts: dict[str, Conflict] = {}
        self.proposals: dict[str, Proposal] = {}
        self.index = index

    def get(self, ids: Sequence[str]) -> list[Memory]:
        return [self.rows[memory_id] for memory_id in ids if memory_id in self.rows]

    def ending(self, tail: str) -> list[str]:
        return [full for full in self.rows if full.replace("-", "").endswith(tail)]

    def saying(self, project: str, fingerprints: Sequence[str]) -> dict[str, Memory]:
        return {
            memory.fingerprint: memory
            for memory in self.rows.values()
            if memory.project == project and memory.fingerprint in fingerprints and not memory.superseded
        }

    def ever_saying(self, project: str, fingerprints: Sequence[str]) -> list[Memory]:
        memories = [
            memory
            for memory in self.rows.values()
            if memory.project == project and memory.fingerprint in fingerprints
        ]
        return sorted(memories, key=lambda memory: (not memory.superseded, memory.valid_until or 0))

    def akin(self, project: str, texts: Sequence[str], now: int, limit: int) -> list[list[Memory]]:
        rows = [memory for memory in self.rows.values() if not memory.superseded]
        tickets: dict[int, list[int]] = {}
        for number, memory in reversed(list(enumerate(rows))):
            topic = topic_of(memory.content)
            for word in topic:
                tickets.setdefault(word, []).append(ticket(number, topic))
        newest = {word: word_tickets[:MOST_TICKETS] for word, word_tickets in tickets.items()}
        groups = [
            [rows[number] for number in nearest(topic_of(text, ASKED_WORDS), newest, 2 * limit)] for text in texts
        ]
        return [
            [memory for memory in group if memory.project == project and memory.current(now)][:limit]
            for group in groups
        ]

    def walk(self, after: str | None, limit: int) -> list[Memory]:
        ids = list(self.arrived)
        start = ids.index(after) + 1 if after in self.arrived else 0
        return self.get(ids[start:])[:limit]

    def quarantined(self, before: int, limit: int) -> list[Memory]:
        memories = [
            memory
            for memory in self.rows.values()
            if memory.status == CANDIDATE
            and not memory.superseded
            and memory.renewed_at <= before
            and memory.source == PROMOTED
            and QUARANTINE not in memory.metadata
        ]
        return sorted(memories, key=lambda memory: memory.renewed_at)[:limit]

    def newest(self, filters: Filters, limit: int) -> list[Memory]:
        return self._in_time(filters)[::-1][:limit]

    def fading(self, now: int, limit: int) -> list[Memory]:
        fading = [memory for memory in self.rows.values() if memory.current(now) and memory.fades is not None]
        return sorted(fading, key=lambda memory: memory.fades or 0)[:limit]

    def before(self, anchor: Memory, limit: int, filters: Filters) -> list[Memory]:
        neighbours = self.around(anchor, limit, filters)
        return neighbours[: neighbours.index(anchor)][::-1]

    def around(self, anchor: Memory, window: int, filters: Filters) -> list[Memory]:
        order = {memory_id: place for place, memory_id in enumerate(self.rows)}
        here = (anchor.created_at, order[anchor.id])
        placed_memories = [((memory.created_at, order[memory.id]), memory) for memory in self._in_time(filters)]
        before = [memory for place, memory in placed_memories if place < here]
        after = [memory for place, memory in placed_memories if place > here]
        return [*before[max(0, len(before) - window) :], anchor, *after[:window]]

    def history(self, memory_id: str) -> list[Memory]:
        tied = {memory_id}
        while True:
            wider = tied | {old.id for old in self.rows.values() if old.superseded_by in tied}
            wider |= {self.rows[row_id].superseded_by or row_id for row_id in wider if row_id in self.rows}
            if wider == tied:
                break
            tied = wider
        memories = [memory for memory in self.rows.values() if memory.id in tied]
        return sorted(memories, key=lambda memory: memory.valid_from)

    def match(
        self, terms: Sequence[Term], filters: Filters, limit: int, most_postings: int | None = None
    ) -> Matches:
        return self.index.match(
            terms, lambda memory_id: memory_passes(self.rows[memory_id], filters), limit, most_postings
        )

    def words(self, lead: str) -> dict[str, int]:
        return self.index.words(lead)

    def insert(self, memories: Sequence[Memory]) -> None:
        for memory in memories:
            if not memory.superseded and self.saying(memory.project, [memory.fingerprint]):
                raise StoreError(path="memory", problem=f"what {memory.id} says is there already")
            self.replace(memory)

    def replace(self, memory: Memory) -> None:
        if memory.id not in self.rows:
            self.arrived.pop(memory.id, None)
        self.arrived[memory.id] = None
        self.rows[memory.id] = replace(memory, fades=self._fading(memory)) if self._fading else memory
        identifier_text = identifiers(memory.title, memory.content, memory.context, " ".join(memory.files))
        lists = (" ".join(memory.tags), " ".join(memory.files))
        self.index.put(
            memory.id, (memory.content, memory.title, *lists, memory.context, memory.kind, identifier_text)
        )

    def count_read(self, ids: Sequence[str], at: int) -> None:
        memories = self.get(ids)
        for memory in memories:
            fades = None if memory.reads + 1 >= READS_KEEP else memory.fades
            self.rows[memory.id] = replace(memory, reads=memory.reads + 1, accessed_at=at, fades=fades)
        self.reads += len(memories)

    def delete(self, ids: Sequence[str]) -> None:
        self.evict(ids)

    def evict(self, ids: Sequence[str]) -> None:
        for memory_id in ids:
            self.rows.pop(memory_id, None)
            self.index.drop(memory_id)
        for conflict in tuple(self.conflicts.values()):
            if conflict.first in ids or conflict.second in ids:
                del self.conflicts[conflict.id]
        for proposal in tuple(self.proposals.values()):
            if proposal.memory in ids or proposal.other in ids:
                del self.proposals[proposal.id]
        for memory in tuple(self.rows.values()):
            if memory.superseded_by in ids:
                self.rows[memory.id] = replace(memory, superseded_by=None)

    def _in_time(self, filters: Filters) -> list[Memory]:
        passing = [memory for memory in self.rows.values() if memory_passes(memory, filters)]
        return sorted(passing, key=lambda memory: memory.created_at)


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
