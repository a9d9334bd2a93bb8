"""Models that the core can be given: embedders, rerankers, extractors. A user may write one."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from holdfast.model.session import ExtractedNote, Turn

if TYPE_CHECKING:
    from holdfast.model.vectors import Floats, Vector

Progress = Callable[[int], None]
"""Told how many more are done."""


class Embedder(Protocol):
    """Text to vectors of length 1."""

    @property
    def model(self) -> str: ...
    @property
    def dimensions(self) -> int: ...

    def embed(self, texts: Sequence[str], progress: Progress | None = None) -> "Floats":
        """Return one row for each text; raise `EmbeddingFailed` when that cannot be had."""

    def embed_query(self, text: str) -> "Vector":
        """Return the vector of a question."""


class Reranker(Protocol):
    """A second opinion on the best candidates."""

    def rerank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Say of each text how well it answers the query, from 0 to 1."""


class Extractor(Protocol):
    """Somebody who reads a session and says what should be noted of it."""

    def notes(self, talk: Sequence[Turn]) -> Sequence[ExtractedNote]:
        """Return notes, each with the user's words it rests on; raise `ExtractorFailed` without an answer."""
