"""What waits for vectors in a store: read, embedded in portions, kept.

Must not live here: when that is done, and whether the store's vectors are this embedder's to make.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from holdfast.embedding.passages import Passages, memory_rows, turn_rows
from holdfast.errors import EmbeddingFailed, EndpointUnreachable
from holdfast.model.vectors import MEMORY
from holdfast.ports import Progress, Store
from holdfast.stores.retry import again
from holdfast.upkeep.asking import GuardedEmbedder

if TYPE_CHECKING:
    from holdfast.ports import Floats

PORTION_ROWS = 32
PORTION_TEXTS = 64
"""What is embedded and kept together: what an interruption loses at most, or one row."""


class Backlog:
    """What waits in a store: all of it is embedded but rows that the embedder, which works, refuses."""

    def __init__(self, embedder: GuardedEmbedder, store: Store, target: str) -> None:
        self._embedder = embedder
        self._store = store
        self._target = target
        self._refusals: dict[str, EmbeddingFailed] = {}

    def work_off(self, progress: Progress | None, go_on: Callable[[], bool] = lambda: True) -> None:
        """Embed portion by portion; that a row was refused is noted as the reason why it waits."""
        while go_on() and self._portion(progress):
            pass
        for error in self._refusals.values():
            self._embedder.remember(self._store, error)

    def _portion(self, progress: Progress | None) -> bool:
        """Embed some rows and keep their vectors; say whether there may be more to do, for this model."""
        row_marks = waiting_rows(self._store, self._target, PORTION_ROWS + len(self._refusals))
        waiting_marks = {row_id: mark for row_id, mark in row_marks.items() if row_id not in self._refusals}
        if not waiting_marks:
            return False
        passages = passages_of(self._store, self._target, waiting_marks).first(PORTION_TEXTS)
        vectors = self._embed(passages)
        refusals = self._embedder.refusals
        self._refusals.update({row_id: refusals[row_id] for row_id in passages.texts if row_id in refusals})
        goes_on = not vectors or keep(self._embedder, self._store, self._target, vectors, waiting_marks)
        if progress and goes_on:
            progress(len(vectors))
        return goes_on

    def _embed(self, passages: Passages) -> "dict[str, Floats]":
        """Embed rows together, and when that fails though the embedder works, each alone."""
        if len(passages.texts) > 1:
            try:
                return self._embedder.vectors(self._store, passages)
            except EndpointUnreachable:
                raise
            except EmbeddingFailed:
                self._embedder.probe(self._store)
        alone = (self._embedder.embed_row(self._store, row) for row in passages.one_by_one())
        return {row_id: vectors for row_vectors in alone for row_id, vectors in row_vectors.items()}


@again
def keep(
    embedder: GuardedEmbedder, store: Store, target: str, vectors: "dict[str, Floats]", marks: dict[str, int]
) -> bool:
    """Keep the vectors of rows; say whether the store still takes this model's: another process can switch it."""
    with store.writing():
        adopt(embedder, store)
        store.vectors.put(target, embedder.model, vectors, marks)
        return store.vectors.model() == embedder.model


@again
def begin(embedder: GuardedEmbedder, store: Store) -> None:
    """Let a store without vectors go over to an embedder, before there are any."""
    with store.writing():
        adopt(embedder, store)


def adopt(embedder: GuardedEmbedder, store: Store) -> None:
    """Let a store without vectors go over to an embedder."""
    if store.vectors.model() is None:
        store.vectors.switch(embedder.model)


def waiting_rows(store: Store, target: str, rows: int) -> dict[str, int]:
    """Return rows that wait, newest first, with their marks."""
    return {row.id: row.mark for row in store.vectors.unembedded(target, rows)}


def passages_of(store: Store, target: str, ids: Iterable[str], longest: int | None = None) -> Passages:
    """Return what stands for rows, in the order asked; of those that are not too long."""
    row_ids = list(ids)
    if not row_ids:
        return Passages({}, named=False)
    place = {row_id: number for number, row_id in enumerate(row_ids)}
    most = float("inf") if longest is None else longest
    if target == MEMORY:
        memories = [memory for memory in store.memories.get(row_ids) if size_of(memory.content) <= most]
        return memory_rows(sorted(memories, key=lambda memory: place[memory.id]))
    turns = [turn for turn in store.turns.get(row_ids) if size_of(turn.text) <= most]
    return turn_rows(sorted(turns, key=lambda turn: place[turn.id]))


def size_of(text: str) -> int:
    """Return a text's bytes: near enough to what it costs, whatever its script."""
    return len(text.encode("utf-8", "replace"))
