"""The upkeep of the reference store: nothing is laid out in pages, so there is nothing to give back."""

from collections.abc import Callable

from holdfast.model.fading import Fading
from holdfast.model.kinds import AGENT, COMPLETED, PROMOTED, TOOL
from holdfast.model.memory import Memory
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
        done = self._audit.totals
        compacted, tended = (self.facts.get(name) for name in ("compacted_at", "tended_at"))
        return Totals(
            promotions=done.get("promote", 0),
            evictions=done.get("evict", 0),
            reads=self._memories.reads,
            compacted_at=compacted if isinstance(compacted, int) else None,
            tended_at=tended if isinstance(tended, int) else None,
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
        found = self.every(after, limit)
        if self._fading is None or not found:
            self.facts["fading"] = self._fading.name if self._fading else ""
            return None
        for _, memory in found:
            self._memories.replace(memory)
        return found[-1][0]

    def every(self, after: int, limit: int) -> list[tuple[int, Memory]]:
        return _after(self._numbered(), after, limit, lambda one: True)

    def over(self, at: int, after: int, limit: int) -> list[tuple[int, Memory]]:
        return _after(self._numbered(), after, limit, lambda one: not one.superseded and not one.current(at))

    def promoted(self) -> int:
        return len(self.promoted_after(0, len(self._memories.rows)))

    def promoted_after(self, after: int, limit: int) -> list[tuple[int, Memory]]:
        rows = self._numbered()
        return _after(rows, after, limit, lambda one: one.sources == (PROMOTED,) and not one.superseded)

    def unmerged(self, after: int, limit: int) -> list[tuple[int, Memory]]:
        rows = self._numbered()
        return _after(rows, after, limit, lambda one: one.trust in (AGENT, TOOL) and not one.superseded)

    def least_read(self, passed: int, limit: int) -> list[Memory]:
        rows = sorted(self._memories.rows.values(), key=lambda one: (one.accessed_at or 0, one.created_at))
        return rows[passed:][:limit]

    def spare_turns(self, ended_before: int | None, limit: int) -> list[tuple[str, int]]:
        sessions = self._turns.sessions.rows.values()
        marks = {one.read_to for one in sessions} | {one.forked_at for one in sessions}
        ended = [
            one
            for one in sessions
            if one.status == COMPLETED and (ended_before is None or (one.ended_at or 0) < ended_before)
        ]
        ended.sort(key=lambda one: one.ended_at or 0)
        spare = [turn for one in ended for turn in self._unneeded(one) if turn.id not in marks]
        return [(turn.id, len(turn.text.encode())) for turn in spare[:limit]]

    def _unneeded(self, session: Session) -> list[Turn]:
        turns = self._turns.of(session.id)
        found = self._turns.findings.from_turns([turn.id for turn in turns])
        living = [one for one in found if one.memory in self._memories.rows]
        needed = {place.turn for one in living for place in one.evidence}
        return [turn for turn in turns if turn.id not in needed]

    def drop_accesses(self, limit: int) -> None:
        self._accesses.rows = self._accesses.rows[limit:]

    def untidy(self) -> bool:
        return False

    def compact(self, pages: int) -> bool:
        return False

    def _numbered(self) -> list[tuple[int, Memory]]:
        for memory_id in self._memories.rows:
            self._numbers.setdefault(memory_id, len(self._numbers) + 1)
        return [(self._numbers[one.id], one) for one in self._memories.rows.values()]


def _after(
    rows: list[tuple[int, Memory]], after: int, limit: int, wanted: Callable[[Memory], bool]
) -> list[tuple[int, Memory]]:
    return [(number, one) for number, one in rows if number > after and wanted(one)][:limit]
