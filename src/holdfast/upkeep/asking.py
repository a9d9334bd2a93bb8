"""An embedder, asked so that it can fail nobody: what it raises is remembered, and it is left alone for a while.

Lives here: the failure, in this process and in the stores concerned, and the vectors of recent questions. Must not
live here: what is embedded, and when.
"""

import contextlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from math import isfinite
from typing import TYPE_CHECKING, TypeVar

from holdfast.embedding.passages import Passages
from holdfast.errors import AnswerUnusable, EmbeddingFailed, EndpointUnreachable, StoreError
from holdfast.model.limits import PATIENCE_MS
from holdfast.model.vectors import MINILM, STATIC, Failure, QuestionVector, VectorModel
from holdfast.ports import Clock, Embedder, Store

if TYPE_CHECKING:
    from holdfast.embedding.minilm import MiniLM
    from holdfast.ports import Floats

Encode = Callable[[str], QuestionVector]


def by_model_or_table(model: "MiniLM") -> Encode:
    """Return what encodes questions in the bundled model's space."""

    def encode(text: str) -> QuestionVector:
        if model.loaded:
            return QuestionVector(model.embed_query(text), MINILM)
        from holdfast.embedding.static import bundled  # 2 ms, instead of 300 for the model

        return QuestionVector(bundled().encode(text), STATIC)

    return encode


def by_itself(embedder: Embedder) -> Encode:
    """Return what encodes questions as an embedder does its texts."""
    return lambda text: QuestionVector(embedder.embed_query(text), embedder.model)


T = TypeVar("T")

QUERIES = 256
"""Questions whose vectors are held."""

PAUSE_MS = 30_000
"""How long a failed embedder is left alone by whoever waits for an answer."""

_PROBE = Passages({"": ["Can a vector be made?"]}, named=False)


class GuardedEmbedder:
    """One embedder, and how it did."""

    def __init__(self, embedder: Embedder, clock: Clock, encode: Encode | None = None) -> None:
        self.model = VectorModel(embedder.model, embedder.dimensions)
        self.failure: Failure | None = None
        """Why the last try failed; None when it did not."""
        self.refusals: dict[str, EmbeddingFailed] = {}
        """Rows that it failed on though it works otherwise."""
        self._embedder = embedder
        self._encode = encode or by_itself(embedder)
        self._clock = clock
        self._paused_until = 0
        self._queries: OrderedDict[str, QuestionVector] = OrderedDict()

    @property
    def pausing(self) -> bool:
        """Whether it failed so lately that nobody who waits should ask."""
        return self._clock.now() < self._paused_until

    def question(
        self, text: str, stores: Sequence[Store], failure_stores: Sequence[Store]
    ) -> QuestionVector | None:
        """Return a question's vector, from memory when it was asked lately; None when there is none to be had.

        A failure is noted in all the stores. That it works again, in those that remember one; it does not yet say
        why something waits: the note of that stays until it is embedded.
        """
        if text in self._queries:
            self._queries.move_to_end(text)
            return self._queries[text]
        if self.pausing:
            return None
        try:
            vector = self._attempt(stores, lambda: _check_finite(self._encode(text)))
        except EmbeddingFailed:
            return None
        self._note([store for store in failure_stores if not any(store.vectors.waiting().values())], None)
        self._queries[text] = vector
        if len(self._queries) > QUERIES:
            self._queries.popitem(last=False)
        return vector

    def vectors(self, store: Store, passages: Passages, *, is_clean: bool = False) -> "dict[str, Floats]":
        """Return the vectors of a store's rows; raise `EmbeddingFailed`, and nothing else, when there are none.

        Clean is a store of which it is known that it remembers no failure.
        """

        def ask() -> "dict[str, Floats]":
            return {row_id: _finite(row) for row_id, row in passages.embed(self._embedder).items()}

        vectors = self._attempt([store], ask)
        self._note([] if is_clean else [store], None)
        return vectors

    def embed_row(self, store: Store, row: Passages, *, is_clean: bool = False) -> "dict[str, Floats]":
        """Return the vectors of one row, nothing when it is refused; raise when it is the embedder that fails."""
        try:
            return self.vectors(store, row, is_clean=is_clean)
        except EndpointUnreachable:
            raise
        except EmbeddingFailed as error:
            self.probe(store)
            self.refusals.update(dict.fromkeys(row.texts, error))
            self.remember(store, error)
            return {}

    def probe(self, store: Store) -> None:
        """Raise `EmbeddingFailed` unless a vector can be made."""
        self.vectors(store, _PROBE)

    def known_failure(self, store: Store) -> Failure | None:
        """Return the failure that a store remembers, if it is this model's."""
        failure = store.vectors.failure()
        return failure if failure and failure.model == self.model.name else None

    def remember(self, store: Store, error: EmbeddingFailed) -> None:
        """Note why rows of a store wait though the embedder works."""
        self._note([store], str(error))
        self._paused_until = 0

    def _attempt(self, stores: Sequence[Store], ask: Callable[[], T]) -> T:
        try:
            return ask()
        except EmbeddingFailed as error:
            self._note(stores, str(error))
            raise
        except Exception as error:  # an embedder is anybody's code
            failure = EmbeddingFailed(problem=f"{type(error).__name__}: {error}")
            self._note(stores, str(failure))
            raise failure from error

    def _note(self, stores: Sequence[Store], problem: str | None) -> None:
        """Keep a failure, or that it is over, here and, as far as they can be written, in the stores."""
        now = self._clock.now()
        self.failure = Failure(self.model.name, problem, now) if problem else None
        self._paused_until = now + PAUSE_MS if problem else 0
        for store in stores:
            stored_failure = store.vectors.failure()
            if stored_failure and (stored_failure.model, stored_failure.problem) == (self.model.name, problem):
                self.failure = stored_failure  # it knows since when
            elif stored_failure or problem:
                with contextlib.suppress(StoreError), store.writing(PATIENCE_MS):
                    store.vectors.note_failure(self.failure)


def _check_finite(question: QuestionVector) -> QuestionVector:
    if not all(map(isfinite, memoryview(question.vector).tolist())):  # type: ignore[arg-type]  # a buffer
        raise AnswerUnusable(problem="a vector holds something that is no finite number")
    return question


def _finite(vectors: "Floats") -> "Floats":
    import numpy as np

    if not np.isfinite(vectors).all():
        raise AnswerUnusable(problem="a vector holds something that is no finite number")
    return vectors
