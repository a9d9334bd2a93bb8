"""The embedder as the verbs use it: it never fails a write or a search, and says why something still waits.

Lives here: when to embed, how much, and whose vectors a store keeps. Must not live here: which text stands
for a row (`embedding.passages`), what becomes of a failure (`asking`), and ranking.
"""

import contextlib
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from holdfast.embedding.passages import Passages, memory_rows, turn_rows
from holdfast.errors import EmbeddingFailed, EndpointUnreachable, InvalidInput, MeaningUnavailable, StoreError
from holdfast.model.memory import Memory
from holdfast.model.records import EmbeddingState
from holdfast.model.search import Query
from holdfast.model.times import iso
from holdfast.model.vectors import MEMORY, VECTOR_TARGETS, QuestionVector, VectorModel
from holdfast.ports import Clock, Embedder, Progress, Store
from holdfast.stores.retry import again
from holdfast.upkeep.asking import Encode, GuardedEmbedder

if TYPE_CHECKING:
    from holdfast.ports import Floats


class Allowance(Struct, frozen=True):
    """What may be embedded while somebody waits for something else."""

    texts: int
    """Chunks and sentences, whatever row they are of."""
    row: int
    """Bytes of a row: a longer one is left to `finish`, because a row cannot be embedded in parts."""
    ms: int
    """How long rows are begun; the one begun last is finished."""


ADDING = Allowance(texts=64, row=3_200, ms=1_000)
"""Somebody adds memories, and waits for that."""

SEARCHING = Allowance(texts=64, row=1_600, ms=400)
"""Somebody searches: what came last should be found by its meaning."""

ENDING = Allowance(texts=256, row=8_000, ms=2_000)
"""A session ends: nobody waits for an answer, only for the process."""

WORTH_A_FILE = 200
"""Changed rows for which the files of a store are made anew in the background; fewer are read beside them."""

OFF = "embedding.model is none"


class Use(Struct, frozen=True, kw_only=True):
    """How an embedder may be used."""

    notice: str | None = None
    """Why it stands in for the one configured, or why there is none."""
    distant: bool = False
    """It is a server: who waits for something else does not wait for it."""
    own: Callable[[Store], bool] = lambda store: False
    """Whether a store is the user's own, which every project shares."""
    of_project: bool = False
    """This project's file chose it, which does not speak for the user's own store."""
    short: bool = False
    """This process lives for one command: it loads no model beside that."""
    background: bool = True
    """Whether a process in the background may make what waits."""


class _Look(Struct, frozen=True):
    """How a store stands towards an embedder."""

    store: Store
    stored_model: VectorModel | None
    """Whose vectors it has."""
    waits: bool
    """Whether the embedder has something to do there now."""
    has_failure: bool
    """Whether it remembers that an embedder failed."""


class Embeddings:
    """One embedder over the stores of a service."""

    def __init__(
        self,
        embedder: Embedder | None,
        clock: Clock,
        use: Use | None = None,
        encode: Encode | None = None,
    ) -> None:
        self._embedder = GuardedEmbedder(embedder, clock, encode) if embedder else None
        self._clock = clock
        self._use = use or Use()

    @property
    def model(self) -> VectorModel | None:
        """The model it makes vectors of; None without an embedder."""
        return self._embedder.model if self._embedder else None

    # ── for whoever waits ────────────────────────────────────────────────────────────────────────────────

    def question(
        self, query: Query, targets: Sequence[str], stores: Sequence[Store], *, writable: bool = True
    ) -> QuestionVector | None:
        """Return a question's vector, after embedding a little of what waits; None where only words count.

        A process that lives for one command leaves what waits to one in the background.

        Who asked for meaning alone is told why there is none, unless nothing is there to be found.
        """
        looks = self._looks(targets, stores, writable=writable)
        for look in looks:
            if look.waits and not self._use.short:
                self.slice(look.store, targets)
        embedder, vector = self._embedder, None
        usable = [look for look in looks if self._holds(look)]
        if embedder and usable:
            writable_stores = [look.store for look in usable] if writable else []
            vector = embedder.question(
                query.text, writable_stores, [look.store for look in usable if look.has_failure and writable]
            )
        if vector is None and query.mode == "vector":
            self._explain(stores)
        return vector

    def question_at_hand(
        self, query: Query, targets: Sequence[str], stores: Sequence[Store], *, writable: bool = True
    ) -> tuple[QuestionVector | None, bool]:
        """Return the same inside a transaction, and whether it could be had there.

        It cannot where something waits for a vector or a failure is noted, which would be written, and where it
        may take long.
        """
        embedder = self._embedder
        if embedder is None or self._busy(embedder):
            return None, embedder is None and query.mode != "vector"
        looks = self._looks(targets, stores, writable=writable)
        if any((look.waits and not self._use.short) or (look.has_failure and writable) for look in looks):
            return None, False
        usable = any(self._holds(look) for look in looks)
        vector = embedder.question(query.text, (), ()) if usable else None
        return vector, vector is not None or (not usable and query.mode != "vector")

    def _looks(self, targets: Sequence[str], stores: Sequence[Store], *, writable: bool) -> list[_Look]:
        return [self._look(store, targets if writable else ()) for store in stores]

    def memories(
        self, store: Store, memories: Sequence[Memory], stored_model: VectorModel | None, *, is_clean: bool
    ) -> "dict[str, Floats]":
        """Return the vectors of memories about to be written; of what is long, many or late they have to wait.

        How the store stands was looked up before: which model it has, and that it remembers no failure.
        """
        embedder = self._maker(store, stored_model)
        if len(memories) > ADDING.texts or embedder is None or self._busy(embedder):
            return {}
        with contextlib.suppress(EmbeddingFailed):
            short = [memory for memory in memories if size_of(memory.content) <= ADDING.row]
            end = self._clock.now() + ADDING.ms
            vectors = self._embed_rows(embedder, store, memory_rows(short), ADDING, end, is_clean=is_clean)
            if vectors and stored_model is None:
                begin(embedder, store)
            return vectors
        return {}

    def slice(self, store: Store, targets: Sequence[str], allowance: Allowance = SEARCHING) -> None:
        """Embed a little of what waits, newest first; whoever asked is waiting for something else."""
        embedder = self._maker(store, store.vectors.model())
        if embedder is None or self._busy(embedder):
            return
        end = self._clock.now() + allowance.ms
        with contextlib.suppress(EmbeddingFailed, StoreError):
            for target in targets:
                waiting_marks = waiting_rows(store, target, allowance.texts)
                passages = passages_of(store, target, waiting_marks, allowance.row)
                vectors = self._embed_rows(embedder, store, passages, allowance, end)
                if vectors:
                    keep(embedder, store, target, vectors, waiting_marks)

    # ── when there is time ───────────────────────────────────────────────────────────────────────────────

    def finish(self, store: Store, progress: Progress | None = None) -> None:
        """Embed everything that waits, except beside another model's vectors; raise only what the store does."""
        if self._embedder:
            self._embedder.refusals.clear()
        self._work_off(store, progress)
        store.vectors.settle()

    def left(self, store: Store) -> bool:
        """Say whether something waits in a store that a process in the background may make."""
        return self._use.background and self._look(store, VECTOR_TARGETS).waits

    def catch_up(self, store: Store, go_on: Callable[[], bool], progress: Progress) -> None:
        """Embed what waits, newest first, as long as that goes on; files are made where they spare something."""
        self._work_off(store, progress, go_on)
        store.vectors.settle(WORTH_A_FILE)

    def _work_off(self, store: Store, progress: Progress | None, go_on: Callable[[], bool] = lambda: True) -> None:
        embedder = self._maker(store, store.vectors.model())
        if embedder:
            with contextlib.suppress(EmbeddingFailed):
                for target in VECTOR_TARGETS:
                    Backlog(embedder, store, target).work_off(progress, go_on)

    def restart(self, store: Store) -> None:
        """Let everything wait for new vectors, of whatever model the old ones are.

        Not before one could be made: vectors that are there are worth more than none. Where something waits for
        this model already, only that is made.
        """
        embedder, stored_model = self._embedder, store.vectors.model()
        if embedder is None or self._spares(store, stored_model):
            return
        if stored_model == embedder.model and any(store.vectors.waiting().values()):
            return
        with contextlib.suppress(EmbeddingFailed):
            embedder.probe(store)
            _switch(store, embedder.model)

    # ── how it stands ────────────────────────────────────────────────────────────────────────────────────

    def state(self, store: Store) -> EmbeddingState:
        """Say which vectors there are, what waits, and why."""
        stored_model = store.vectors.model()
        return EmbeddingState(
            model=self.model.name if self.model else None,
            kept=stored_model.name if stored_model else None,
            dimensions=stored_model.dimensions if stored_model else None,
            waiting=store.vectors.waiting(),
            problem=self._problem(store, stored_model),
            notice=self._use.notice,
        )

    def _problem(self, store: Store, stored_model: VectorModel | None) -> str | None:
        embedder = self._embedder
        if embedder is None:
            return self._use.notice or OFF
        failure = embedder.failure or embedder.known_failure(store)
        failure_text = f"since {iso(failure.since)}: {failure.problem}" if failure else None
        if self._maker(store, stored_model):
            return failure_text
        if self._use.of_project and self._use.own(store):
            return "your own store does not go by the embedding.model that this project sets"
        model_text = f"the vectors are of {stored_model.name if stored_model else None}"
        if self._use.notice:
            return f"{model_text}, which a stand-in does not replace"
        command = "holdfast reindex --user" if self._use.own(store) else "holdfast reindex"
        return f"{model_text}; `{command}` makes those of {embedder.model.name}" + (
            f"; {failure_text}" if failure_text else ""
        )

    def _explain(self, stores: Sequence[Store]) -> None:
        if self._embedder is None and self._use.notice is None:
            raise InvalidInput(field="mode", problem=f"there is no searching by meaning: {OFF}.")
        for store in stores:
            stored_model = store.vectors.model()
            if stored_model or any(store.vectors.waiting().values()):
                waits = "nothing has a vector yet; `holdfast reindex --pending` makes them"
                raise MeaningUnavailable(problem=self._problem(store, stored_model) or waits)

    # ── who, and for whom ────────────────────────────────────────────────────────────────────────────────

    def _look(self, store: Store, targets: Sequence[str]) -> _Look:
        """See how a store stands; in one transaction, as on a server each costs more than what is read in it."""
        with store.reading():
            stored_model = store.vectors.model()
            embedder = self._maker(store, stored_model)
            makes = embedder is not None and not self._busy(embedder)
            waits = makes and any(store.vectors.unembedded(target, 1) for target in targets)
            return _Look(store, stored_model, waits=waits, has_failure=store.vectors.failure() is not None)

    def _holds(self, look: _Look) -> bool:
        """Say whether a store has this model's vectors, or got some just now."""
        stored_model = (
            look.store.vectors.model() if look.waits and look.stored_model is None else look.stored_model
        )
        return stored_model == self.model

    def _maker(self, store: Store, stored_model: VectorModel | None) -> GuardedEmbedder | None:
        """Return who makes a store's vectors: nobody where they are another model's, or not ours to begin."""
        fits = self._embedder and (
            stored_model == self.model or (stored_model is None and not self._spares(store, stored_model))
        )
        return self._embedder if fits else None

    def _spares(self, store: Store, stored_model: VectorModel | None) -> bool:
        """Say whether a store is not this embedder's to take, even when somebody asks for it."""
        stands_in = self._use.notice is not None and stored_model is not None
        return stored_model != self.model and (stands_in or (self._use.of_project and self._use.own(store)))

    def _busy(self, embedder: GuardedEmbedder) -> bool:
        """Say whether nobody who waits for something else should wait for it."""
        return self._use.distant or embedder.pausing

    def _embed_rows(
        self,
        embedder: GuardedEmbedder,
        store: Store,
        passages: Passages,
        allowance: Allowance,
        end: int,
        *,
        is_clean: bool = False,
    ) -> "dict[str, Floats]":
        """Embed one row after the other until the allowance is used up."""
        vectors: dict[str, Floats] = {}
        remaining_texts = allowance.texts
        for row in passages.one_by_one():
            if self._clock.now() > end:
                break
            if row.count <= remaining_texts and not embedder.refusals.keys() & row.texts.keys():
                vectors.update(embedder.embed_row(store, row, is_clean=is_clean))
                remaining_texts -= row.count
        return vectors


@again
def _switch(store: Store, model: VectorModel) -> None:
    with store.writing():
        store.vectors.switch(model)


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

    def work_off(self, progress: Progress | None, go_on: Callable[[], bool]) -> None:
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
