"""Embed with any model that the optional `fastembed` package knows.

Must not live here: a default model; the caller names one. fastembed is imported at the first text, and it may
download the model then: that is why it is an extra and never the default.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from holdfast.embedding.telemetry import import_without_telemetry
from holdfast.errors import AnswerUnusable, ModelUnusable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Fastembed:
    """Embeds texts with a fastembed model; vectors are scaled to length 1."""

    def __init__(self, model: str, dimensions: int, threads: int = 1) -> None:
        self.model = model
        self.dimensions = dimensions
        self._threads = threads
        self._embedding_model: Any = None

    def embed(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> NDArray[np.float32]:
        """Return one row per text; `progress` is told of each text done."""
        model = self._ready()
        import numpy as np

        from holdfast.embedding.scan import unit

        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for place, row in enumerate(model.embed(list(texts))):
            rows[place] = self._check_row(row)
            if progress is not None:
                progress(1)
        return unit(rows)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a question: some models treat questions and documents differently."""
        model = self._ready()
        import numpy as np

        from holdfast.embedding.scan import unit

        row = np.asarray(self._check_row(next(iter(model.query_embed(text)))), np.float32)
        return unit(row)

    def _check_row(self, row: Any) -> Any:
        if len(row) != self.dimensions:
            problem = f"{self.model} has {len(row)} dimensions, configured are {self.dimensions}"
            raise AnswerUnusable(problem=problem)
        return row

    def _ready(self) -> Any:
        if self._embedding_model is None:
            try:
                fastembed = import_without_telemetry("fastembed")
            except ImportError as error:
                raise ModelUnusable(problem="fastembed is missing: pip install holdfast[fastembed]") from error
            try:
                self._embedding_model = fastembed.TextEmbedding(model_name=self.model, threads=self._threads)
            except Exception as error:  # an unknown model, no network, a full disk: each its own type
                raise ModelUnusable(problem=f"{self.model}: {error}") from error
        return self._embedding_model
