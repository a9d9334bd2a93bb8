"""The embedder as the verbs use it: it never fails a write or a search, and says why something still waits.

Lives here: when to embed, in what portions, what to do when it fails, and the vectors of recent questions. Must
not live here: which text stands for a row (`embedding.passages`), and ranking.
"""

import contextlib
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from holdfast.embedding.passages import Passages, memory_rows, turn_rows
from holdfast.errors import EmbeddingFailed, StoreError
from holdfast.model.memory import Memory
from holdfast.model.records import EmbeddingState
from holdfast.model.vectors import MEMORY, VECTOR_TARGETS, VectorModel
from holdfast.ports import Clock, Embedder, Progress, Store

if TYPE_CHECKING:
    from holdfast.ports import Floats

INLINE = 64
"""Memories that one add embeds before it writes them; of more, all wait."""

SLICE = 64
"""Texts that a search embeds first, and the most it spends on that."""
SLICE_MS = 400

SESSION_TEXTS = 256
PORTION = 32
"""Rows embedded and kept together: what an interruption loses at most."""

QUERIES = 256
PAUSE_MS = 30_000
"""How long a failed embedder is left alone by whoever waits for an answer."""


class Embeddings:
    """One embedder over the stores of a service."""

    def __init__(self, embedder: Embedder | None, clock: Clock, notice: str | None = None) -> None:
        self._embedder = embedder
        self._clock = clock
        self._notice = notice
        self._problem: str | None = None
        self._paused_until = 0
        self._queries: OrderedDict[str, Floats] = OrderedDict()

    @property
    def model(self) -> VectorModel | None:
        """The model it makes vectors of; None without an embedder."""
        return VectorModel(self._embedder.model, self._embedder.dimensions) if self._embedder else None

    # ── one at a time ────────────────────────────────────────────────────────────────────────────────────

    def query(self, text: str) -> "Floats | None":
        """Return a question's vector, from memory when it was asked lately; None when there is none to be had."""
        if text in self._queries:
            self._queries.move_to_end(text)
            return self._queries[text]
        if self._embedder is None or self._pausing:
            return None
        try:
            vector = self._embedder.embed_query(text)
        except EmbeddingFailed as error:
            self._note(error)
            return None
        self._queries[text] = vector
        if len(self._queries) > QUERIES:
            self._queries.popitem(last=False)
        return vector

    def memories(self, store: Store, memories: Sequence[Memory]) -> "dict[str, Floats] | None":
        """Return the vectors of memories about to be written; None when they have to wait."""
        if len(memories) > INLINE or self._pausing or not self.serves(store):
            return None
        with contextlib.suppress(EmbeddingFailed):
            return self._vectors(memory_rows(memories))
        return None

    def serves(self, store: Store, *, insist: bool = False) -> bool:
        """Say whether the store's vectors are this embedder's; a store without any goes over to it.

        Insisting, one with another model's vectors does too, and loses them; but never to a stand-in.
        """
        model = self.model
        if model is None:
            return False
        kept = store.vectors.model()
        if kept == model:
            return True
        if kept is not None and (not insist or self._notice):
            return False
        with store.writing():
            if store.vectors.model() == kept:
                store.vectors.switch(model)
        return store.vectors.model() == model

    # ── what waits ───────────────────────────────────────────────────────────────────────────────────────

    def slice(self, store: Store, targets: Sequence[str], texts: int = SLICE) -> None:
        """Embed a little of what waits, newest first; whoever asked is waiting for something else."""
        if not any(store.vectors.unembedded(target, 1) for target in targets):
            return
        end = self._clock.now() + SLICE_MS
        with contextlib.suppress(EmbeddingFailed, StoreError):
            if self._pausing or not self.serves(store):
                return
            for target in targets:
                while texts > 0 and self._clock.now() <= end:
                    done = self._portion(store, target, max(1, min(texts // 4, PORTION)), None)
                    if not done:
                        break
                    texts -= done

    def finish(self, store: Store, progress: Progress | None = None) -> None:
        """Embed everything that waits; raise nothing but what the store raises."""
        with contextlib.suppress(EmbeddingFailed):
            if self.serves(store, insist=True):
                for target in VECTOR_TARGETS:
                    while self._portion(store, target, PORTION, progress):
                        pass
        store.vectors.settle()

    def restart(self, store: Store) -> None:
        """Let everything wait for new vectors, unless some of it does already: then that is gone on with."""
        model = self.model
        if model and self.serves(store, insist=True) and not any(store.vectors.waiting().values()):
            with store.writing():
                store.vectors.switch(model)

    def state(self, store: Store) -> EmbeddingState:
        """Say which vectors there are, what waits, and why."""
        kept = store.vectors.model()
        problem = self._problem
        if kept and self.model and kept != self.model:
            problem = f"the vectors are of {kept.name}; `holdfast reindex` makes those of {self.model.name}"
        if self._embedder is None:
            problem = problem or self._notice or "embedding.model is none"
        return EmbeddingState(
            model=self.model.name if self.model else None,
            kept=kept.name if kept else None,
            dimensions=kept.dimensions if kept else None,
            waiting=store.vectors.waiting(),
            problem=problem,
            notice=self._notice,
        )

    def why_not(self, store: Store) -> str:
        """Say why there is no searching by meaning just now."""
        return self.state(store).problem or "nothing has a vector yet"

    def _portion(self, store: Store, target: str, rows: int, progress: Progress | None) -> int:
        """Embed some rows and keep their vectors; return how many texts that were."""
        model = self.model
        waiting = {one.id: one.mark for one in store.vectors.unembedded(target, rows)}
        if not waiting or model is None:
            return 0
        passages = _passages(store, target, list(waiting))
        vectors = self._vectors(passages)
        with store.writing():
            store.vectors.put(target, model, vectors, waiting)
        if progress:
            progress(len(waiting))
        return max(1, sum(map(len, passages.texts.values())))

    def _vectors(self, passages: Passages) -> "dict[str, Floats]":
        if self._embedder is None:
            raise EmbeddingFailed(problem="embedding.model is none")
        try:
            vectors = passages.embed(self._embedder)
        except EmbeddingFailed as error:
            self._note(error)
            raise
        self._problem, self._paused_until = None, 0
        return vectors

    @property
    def _pausing(self) -> bool:
        return self._clock.now() < self._paused_until

    def _note(self, error: EmbeddingFailed) -> None:
        self._problem = str(error)
        self._paused_until = self._clock.now() + PAUSE_MS


def _passages(store: Store, target: str, ids: list[str]) -> Passages:
    return memory_rows(store.memories.get(ids)) if target == MEMORY else turn_rows(store.turns.get(ids))
