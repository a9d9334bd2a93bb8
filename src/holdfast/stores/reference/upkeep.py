"""The upkeep of the reference store: nothing is laid out in pages, so there is nothing to give back."""

from collections.abc import Callable

from holdfast.model.kinds import AGENT, COMPLETED, PROMOTED, TOOL
from holdfast.model.memory import Fading, Memory
from holdfast.model.records import IndexHealth, Totals
from holdfast.model.session import Session, Turn
from holdfast.stores.reference.memories import ReferenceMemories
from holdfast.stores.reference.records import ReferenceAccesses, ReferenceAudit
from holdfast.stores.reference.turns import ReferenceTurns


class ReferenceUpkeep:
    """`ports.Upkeep` over dictionaries; a memory's number is its place in the order of arrival."""

    def __init__(
        self,
        memories: ReferenceMemories,
        turns: ReferenceTurns,
        accesses: ReferenceAccesses,
        audit: ReferenceAudit,
        fading: Fading | None,
    ) -> None:
        self.facts: dict[str, int | str] = {}
        self._memories = memories
        self._turns = turns
        self._accesses = accesses
        self._audit = audit
        self._fading = fading
        self._numbers: dict[str, int] = {}

    def fact(self, name: str) -> int | str | None:
        return self.facts.get(name)

    def note(self, name: str, value: int | str) -> None:
        self.facts[name] = value

    def totals(self) -> Totals:
        action_totals = self._audit.totals
        compacted_at, tended_at = (self.facts.get(name) for name in ("compacted_at", "tended_at"))
        return Totals(
            promotions=action_totals.get("promote", 0),
            evictions=action_totals.get("evict", 0),
            reads=self._memories.reads,
            compacted_at=compacted_at if isinstance(compacted_at, int) else None,
            tended_at=tended_at if isinstance(tended_at, int) else None,
        )

    def resume(self, totals: Totals) -> None:
        self._audit.totals = {"promote": totals.promotions, "evict": totals.evictions}
        self._memories.reads = totals.reads
        for name, moment in (("compacted_at", totals.compacted_at), ("tended_at", totals.tended_at)):
            if moment is not None:
                self.note(name, moment)

    def health(self) -> IndexHealth:
        rows = len(self._memories.rows) + len(self._turns.rows)
        return IndexHealth(rows=rows, indexed=rows, waiting=0, file_bytes=0, free_bytes=0)

    def used(self) -> int:
        return 0

    def memories(self) -> int:
        return len(self._memories.rows)

    def accesses(self) -> int:
        return len(self._accesses.rows)

    def refaded(self) -> bool:
        return self._fading is None or self.facts.get("fading") == self._fading.name

    def refade(self, after: int, limit: int) -> int | None:
        numbered_memories = self.every(after, limit)
        if self._fading is None or not numbered_memories:
            self.facts["fading"] = self._fading.name if self._fading else ""
            return None
        for _, memory in numbered_memories:
            self._memories.replace(memory)
        return numbered_memories[-1][0]

    def every(self, after: int, limit: int) -> list[tuple[int, Memory]]:
        return _after(self._numbered_memories(), after, limit, lambda memory: True)

    def over(self, at: int, after: int, limit: int) -> list[tuple[int, Memory]]:
        return _after(
            self._numbered_memories(),
            after,
            limit,
            lambda memory: not memory.superseded and not memory.current(at),
        )

    def promoted(self) -> int:
        return len(self.promoted_after(0, len(self._memories.rows)))

    def promoted_after(self, after: int, limit: int) -> list[tuple[int, Memory]]:
        rows = self._numbered_memories()
        return _after(rows, after, limit, lambda memory: memory.sources == (PROMOTED,) and not memory.superseded)

    def unmerged(self, after: int, limit: int) -> list[tuple[int, Memory]]:
        rows = self._numbered_memories()
        return _after(rows, after, limit, lambda memory: memory.trust in (AGENT, TOOL) and not memory.superseded)

    def least_read(self, offset: int, limit: int) -> list[Memory]:
        rows = sorted(
            self._memories.rows.values(), key=lambda memory: (memory.accessed_at or 0, memory.created_at)
        )
        return rows[offset:][:limit]

    def spare_turns(self, ended_before: int | None, limit: int) -> list[tuple[str, int]]:
        sessions = self._turns.sessions.rows.values()
        marks = {session.read_to for session in sessions} | {session.forked_at for session in sessions}
        ended_sessions = [
            session
            for session in sessions
            if session.status == COMPLETED and (ended_before is None or (session.ended_at or 0) < ended_before)
        ]
        ended_sessions.sort(key=lambda session: session.ended_at or 0)
        spare = [
            turn for session in ended_sessions for turn in self._unneeded_turns(session) if turn.id not in marks
        ]
        return [(turn.id, len(turn.text.encode())) for turn in spare[:limit]]

    def _unneeded_turns(self, session: Session) -> list[Turn]:
        turns = self._turns.of(session.id)
        findings = self._turns.findings.from_turns([turn.id for turn in turns])
        living = [finding for finding in findings if finding.memory in self._memories.rows]
        needed_ids = {place.turn for finding in living for place in finding.evidence}
        return [turn for turn in turns if turn.id not in needed_ids]

    def drop_accesses(self, limit: int) -> None:
        self._accesses.rows = self._accesses.rows[limit:]

    def untidy(self) -> bool:
        return False

    def compact(self, pages: int) -> bool:
        return False

    def _numbered_memories(self) -> list[tuple[int, Memory]]:
        for memory_id in self._memories.rows:
            self._numbers.setdefault(memory_id, len(self._numbers) + 1)
        return [(self._numbers[memory.id], memory) for memory in self._memories.rows.values()]


def _after(
    rows: list[tuple[int, Memory]], after: int, limit: int, condition: Callable[[Memory], bool]
) -> list[tuple[int, Memory]]:
    return [(number, memory) for number, memory in rows if number > after and condition(memory)][:limit]
