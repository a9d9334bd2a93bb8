"""The vectors of the reference store: every cosine is computed, every time."""

import itertools
from collections.abc import Callable, Mapping, Sequence

from holdfast.model.search import Filters
from holdfast.model.type_hints import TYPE_CHECKING
from holdfast.model.vectors import MEMORY, TURN, VECTOR_TARGETS, Failure, Near, Unembedded, VectorModel
from holdfast.stores.reference.index import memory_passes, turn_passes
from holdfast.stores.reference.memories import ReferenceMemories
from holdfast.stores.reference.turns import ReferenceTurns

if TYPE_CHECKING:
    from holdfast.ports import Floats, Vector

_marks = itertools.count(1)


class ReferenceVectors:
    """`ports.Vectors` in dictionaries. The text that was embedded is kept beside its vectors, to see it change."""

    def __init__(self, memories: ReferenceMemories, turns: ReferenceTurns) -> None:
        self._memories = memories
        self._turns = turns
        self.current: VectorModel | None = None
        self.rows: dict[str, dict[str, tuple[object, Floats]]] = {target: {} for target in VECTOR_TARGETS}
        self.marks: dict[tuple[str, str, object], int] = {}
        self.failed: Failure | None = None

    def model(self) -> VectorModel | None:
        return self.current

    def switch(self, model: VectorModel) -> None:
        if self.current is not None:
            self.rows = {target: {} for target in VECTOR_TARGETS}
            self.marks = {}
        self.current = model

    def failure(self) -> Failure | None:
        return self.failed

    def note_failure(self, failure: Failure | None) -> None:
        self.failed = failure

    def unembedded(self, target: str, limit: int) -> list[Unembedded]:
        waiting_ids = [row_id for row_id in self._texts(target) if row_id not in self._living(target)]
        return [Unembedded(row_id, self._mark(target, row_id)) for row_id in waiting_ids[::-1][:limit]]

    def waiting(self) -> dict[str, int]:
        return {target: len(self.unembedded(target, 1 << 40)) for target in VECTOR_TARGETS}

    def put(
        self, target: str, model: VectorModel, vectors: "Mapping[str, Floats]", marks: Mapping[str, int] | None
    ) -> int:
        if self.current != model:
            return 0
        waiting_marks = {entry.id: entry.mark for entry in self.unembedded(target, 1 << 40)}
        accepted_ids = [
            row_id
            for row_id in vectors
            if row_id in waiting_marks and (marks is None or marks.get(row_id) == waiting_marks[row_id])
        ]
        texts = self._texts(target)
        fresh = {row_id: (texts[row_id], vectors[row_id]) for row_id in accepted_ids}
        self.rows = {**self.rows, target: self.rows[target] | fresh}
        return len(accepted_ids)

    def nearest(self, target: str, query: "Vector", filters: Filters, limit: int) -> list[Near]:
        passes = self._passes(target, filters)
        scores = self.cosines(target, query, [row_id for row_id in self._living(target) if passes(row_id)])
        best = sorted(scores.items(), key=lambda pair: -pair[1])[:limit]
        return [Near(row_id, cosine) for row_id, cosine in best]

    def kept(self, target: str, ids: Sequence[str]) -> "dict[str, Floats]":
        import numpy as np

        living = self._living(target)
        return {row_id: living[row_id].astype(np.float16).astype(np.float32) for row_id in ids if row_id in living}

    def cosines(self, target: str, query: "Vector", ids: Sequence[str]) -> dict[str, float]:
        import numpy as np

        probe = np.frombuffer(query, np.float32)
        return {row_id: float((chunks @ probe).max()) for row_id, chunks in self.kept(target, ids).items()}

    def settle(self, behind: int = 0) -> None:
        """Nothing is derived."""

    def _texts(self, target: str) -> dict[str, object]:
        if target == TURN:
            return {turn.id: (turn.text, turn.role) for turn in self._turns.rows.values()}
        return {memory.id: (memory.title, memory.content) for memory in self._memories.rows.values()}

    def _living(self, target: str) -> "dict[str, Floats]":
        texts = self._texts(target)
        rows = self.rows[target]
        return {row_id: rows[row_id][1] for row_id in texts if row_id in rows and rows[row_id][0] == texts[row_id]}

    def _mark(self, target: str, row_id: str) -> int:
        return self.marks.setdefault((target, row_id, self._texts(target)[row_id]), next(_marks))

    def _passes(self, target: str, filters: Filters) -> Callable[[str], bool]:
        if target == MEMORY:
            return lambda memory_id: memory_passes(self._memories.rows[memory_id], filters)
        return lambda turn_id: turn_passes(self._turns.rows[turn_id], self._turns.session_of(turn_id), filters)
