"""The embedder as the verbs use it: it never fails a write or a search, and says why something still waits.

Lives here: when to embed, how much, and whose vectors a store keeps. Must not live here: which text stands
for a row (`embedding.passages`), what becomes of a failure (`asking`), what waits (`backlog`), and ranking.
"""

import contextlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

from holdfast.embedding.passages import Passages, memory_rows
from holdfast.errors import EmbeddingFailed, InvalidInput, MeaningUnavailable, StoreError
from holdfast.model.memory import Memory
from holdfast.model.records import EmbeddingState
from holdfast.model.search import Query
from holdfast.model.times import iso
from holdfast.model.value import Value
from holdfast.model.vectors import VECTOR_TARGETS, QuestionVector, VectorModel
from holdfast.ports import Clock, Embedder, Progress, Store
from holdfast.stores.retry import again
from holdfast.upkeep.asking import Asking
from holdfast.upkeep.backlog import Backlog, begin, keep, passages_of, size_of, waiting_rows

if TYPE_CHECKING:
    from holdfast.embedding.questions import Encode
    from holdfast.ports import Floats


class Allowance(Value):
    """What may be embedded while somebody waits for something else."""

    texts: int
    """Chunks and sentences, whatever row they are of."""
    row: int
    """Bytes of a row: a longer one is left to `finish`, because a row cannot be embedded in parts."""
    ms: int
    """How long rows are begun; the one begun last is finished."""


ADDING = Allowance(texts=64, row=3_200, ms=1_000)
SEARCHING = Allowance(texts=64, row=1_600, ms=400)
ENDING = Allowance(texts=256, row=8_000, ms=2_000)
"""The end of a session."""

WORTH_A_FILE = 200
"""Changed rows for which the files of a store are made anew in the background; fewer are read beside them."""

OFF = "embedding.model is none"


class Use(Value, kw_only=True):
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


class _Look(Value):
    """How a store stands towards an embedder."""

    store: Store
    kept: VectorModel | None
    """Whose vectors it has."""
    waits: bool
    """Whether the embedder has something to do there now."""
    noted: bool
    """Whether it remembers that an embedder failed."""


class Embeddings:
    """One embedder over the stores of a service."""

    def __init__(
        self,
        embedder: Embedder | None,
        clock: Clock,
        use: Use | None = None,
        encode: "Encode | None" = None,
    ) -> None:
        self._asking = Asking(embedder, clock, encode) if embedder else None
        self._clock = clock
        self._use = use or Use()

    @property
    def model(self) -> VectorModel | None:
        """The model it makes vectors of; None without an embedder."""
        return self._asking.model if self._asking else None

    # ── for whoever waits ────────────────────────────────────────────────────────────────────────────────

    def meaning(
        self, query: Query, targets: Sequence[str], stores: Sequence[Store], *, writable: bool = True
    ) -> "Floats | None":
        """Return the vector of what a brief is asked for; None where only words count."""
        question = self.question(query, targets, stores, writable=writable)
        return cast("Floats", question.vector) if question else None

    def question(
        self, query: Query, targets: Sequence[str], stores: Sequence[Store], *, writable: bool = True
    ) -> QuestionVector | None:
        """Return a question's vector, after embedding a little of what waits; None where only words count.

        A process that lives for one command leaves what waits to one in the background.

        Who asked for meaning alone is told why there is none, unless nothing is there to be found.
        """
        looks = [self._look(store, targets if writable else ()) for store in stores]
        for look in looks:
            if look.waits and not self._use.short:
                self.slice(look.store, targets)
        asking, vector = self._asking, None
        usable = [look for look in looks if self._holds(look)]
        if asking and usable:
            told = [look.store for look in usable] if writable else []
            vector = asking.question(query.text, told, [look.store for look in usable if look.noted and writable])
        if vector is None and query.mode == "vector":
            self._explain(stores)
        return vector

    def memories(self, store: Store, memories: Sequence[Memory]) -> "dict[str, Floats]":
        """Return the vectors of memories about to be written; of what is long, many or late they have to wait."""
        kept = store.vectors.model()
        asking = self._maker(store, kept)
        if len(memories) > ADDING.texts or asking is None or self._busy(asking):
            return {}
        with contextlib.suppress(EmbeddingFailed):
            short = [one for one in memories if size_of(one.content) <= ADDING.row]
            made = self._made(asking, store, memory_rows(short), ADDING, self._clock.now() + ADDING.ms)
            if made and kept is None:
                begin(asking, store)
            return made
        return {}

    def slice(self, store: Store, targets: Sequence[str], allowance: Allowance = SEARCHING) -> None:
        """Embed a little of what waits, newest first; whoever asked is waiting for something else."""
        asking = self._maker(store, store.vectors.model())
        if asking is None or self._busy(asking):
            return
        end = self._clock.now() + allowance.ms
        with contextlib.suppress(EmbeddingFailed, StoreError):
            for target in targets:
                waiting = waiting_rows(store, target, allowance.texts)
                passages = passages_of(store, target, waiting, allowance.row)
                vectors = self._made(asking, store, passages, allowance, end)
                if vectors:
                    keep(asking, store, target, vectors, waiting)

    # ── when there is time ───────────────────────────────────────────────────────────────────────────────

    def finish(self, store: Store, progress: Progress | None = None) -> None:
        """Embed everything that waits, except beside another model's vectors; raise only what the store does."""
        asking = self._maker(store, store.vectors.model())
        if asking:
            asking.refused.clear()
            with contextlib.suppress(EmbeddingFailed):
                for target in VECTOR_TARGETS:
                    Backlog(asking, store, target).work_off(progress)
        store.vectors.settle()

    def left(self, store: Store) -> bool:
        """Say whether something waits in a store that a process in the background may make."""
        return self._use.background and self._look(store, VECTOR_TARGETS).waits

    def catch_up(self, store: Store, go_on: Callable[[], bool], progress: Progress) -> None:
        """Embed what waits, newest first, as long as that goes on; files are made where they spare something."""
        asking = self._maker(store, store.vectors.model())
        if asking:
            with contextlib.suppress(EmbeddingFailed):
                for target in VECTOR_TARGETS:
                    Backlog(asking, store, target).work_off(progress, go_on)
        store.vectors.settle(WORTH_A_FILE)

    def restart(self, store: Store) -> None:
        """Let everything wait for new vectors, of whatever model the old ones are.

        Not before one could be made: vectors that are there are worth more than none. Where something waits for
        this model already, only that is made.
        """
        asking, kept = self._asking, store.vectors.model()
        if asking is None or self._spares(store, kept):
            return
        if kept == asking.model and any(store.vectors.waiting().values()):
            return
        with contextlib.suppress(EmbeddingFailed):
            asking.probe(store)
            _switch(store, asking.model)

    # ── how it stands ────────────────────────────────────────────────────────────────────────────────────

    def state(self, store: Store) -> EmbeddingState:
        """Say which vectors there are, what waits, and why."""
        kept = store.vectors.model()
        return EmbeddingState(
            model=self.model.name if self.model else None,
            kept=kept.name if kept else None,
            dimensions=kept.dimensions if kept else None,
            waiting=store.vectors.waiting(),
            problem=self._problem(store, kept),
            notice=self._use.notice,
        )

    def _problem(self, store: Store, kept: VectorModel | None) -> str | None:
        asking = self._asking
        if asking is None:
            return self._use.notice or OFF
        failure = asking.failure or asking.known_failure(store)
        failed = f"since {iso(failure.since)}: {failure.problem}" if failure else None
        if self._maker(store, kept):
            return failed
        if self._use.of_project and self._use.own(store):
            return "your own store does not go by the embedding.model that this project sets"
        theirs = f"the vectors are of {kept.name if kept else None}"
        if self._use.notice:
            return f"{theirs}, which a stand-in does not replace"
        command = "holdfast reindex --user" if self._use.own(store) else "holdfast reindex"
        return f"{theirs}; `{command}` makes those of {asking.model.name}" + (f"; {failed}" if failed else "")

    def _explain(self, stores: Sequence[Store]) -> None:
        if self._asking is None and self._use.notice is None:
            raise InvalidInput(field="mode", problem=f"there is no searching by meaning: {OFF}.")
        for store in stores:
            kept = store.vectors.model()
            if kept or any(store.vectors.waiting().values()):
                waits = "nothing has a vector yet; `holdfast reindex --pending` makes them"
                raise MeaningUnavailable(problem=self._problem(store, kept) or waits)

    # ── who, and for whom ────────────────────────────────────────────────────────────────────────────────

    def _look(self, store: Store, targets: Sequence[str]) -> "_Look":
        """See how a store stands; in one transaction, as on a server each costs more than what is read in it."""
        with store.reading():
            kept = store.vectors.model()
            asking = self._maker(store, kept)
            makes = asking is not None and not self._busy(asking)
            waits = makes and any(store.vectors.unembedded(target, 1) for target in targets)
            return _Look(store, kept, waits=waits, noted=store.vectors.failure() is not None)

    def _holds(self, look: "_Look") -> bool:
        """Say whether a store has this model's vectors, or got some just now."""
        kept = look.store.vectors.model() if look.waits and look.kept is None else look.kept
        return kept == self.model

    def _maker(self, store: Store, kept: VectorModel | None) -> Asking | None:
        """Return who makes a store's vectors: nobody where they are another model's, or not ours to begin."""
        fits = self._asking and (kept == self.model or (kept is None and not self._spares(store, kept)))
        return self._asking if fits else None

    def _spares(self, store: Store, kept: VectorModel | None) -> bool:
        """Say whether a store is not this embedder's to take, even when somebody asks for it."""
        stands_in = self._use.notice is not None and kept is not None
        return kept != self.model and (stands_in or (self._use.of_project and self._use.own(store)))

    def _busy(self, asking: Asking) -> bool:
        """Say whether nobody who waits for something else should wait for it."""
        return self._use.distant or asking.pausing

    def _made(
        self, asking: Asking, store: Store, passages: Passages, allowance: Allowance, end: int
    ) -> "dict[str, Floats]":
        """Embed one row after the other until the allowance is used up."""
        made: dict[str, Floats] = {}
        left = allowance.texts
        for row in passages.each():
            if self._clock.now() > end:
                break
            if row.count <= left and not asking.refused.keys() & row.texts.keys():
                made.update(asking.one(store, row))
                left -= row.count
        return made


@again
def _switch(store: Store, model: VectorModel) -> None:
    with store.writing():
        store.vectors.switch(model)
