"""Models of the optional `fastembed` package: one that embeds texts, and a cross-encoder that ranks them anew.

Must not live here: a default model; the caller names one. fastembed is imported at the first text. The embedder
may download its model then: that is why it is an extra and never the default. The cross-encoder downloads nothing:
an agent waits, and nothing leaves the machine by itself. It reads question and text together, better than two
vectors side by side and far slower, so only the best few are shown to it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from holdfast.embedding import import_without_telemetry
from holdfast.errors import AnswerUnusable, ModelUnusable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Fastembed:
    """Embeds texts with a fastembed model; vectors are scaled to length 1."""

    def __init__(self, model: str, dimensions: int) -> None:
        self.model = model
        self.dimensions = dimensions

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row per text."""
        model = self._loaded_model
        import numpy as np

        from holdfast.embedding.scan import unit

        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for place, row in enumerate(model.embed(list(texts))):
            rows[place] = self._check_row(row)
        return unit(rows)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a question: some models treat questions and documents differently."""
        model = self._loaded_model
        import numpy as np

        from holdfast.embedding.scan import unit

        row = np.asarray(self._check_row(next(iter(model.query_embed(text)))), np.float32)
        return unit(row)

    def _check_row(self, row: Any) -> Any:
        if len(row) != self.dimensions:
            problem = f"{self.model} has {len(row)} dimensions, configured are {self.dimensions}"
            raise AnswerUnusable(problem=problem)
        return row

    @cached_property
    def _loaded_model(self) -> Any:
        fastembed = _import("fastembed")
        try:
            return fastembed.TextEmbedding(model_name=self.model, threads=1)
        except Exception as error:  # an unknown model, no network, a full disk: each its own type
            raise ModelUnusable(problem=f"{self.model}: {error}") from error


class CrossEncoder:
    """`ports.Reranker` by a fastembed model."""

    def __init__(self, model: str) -> None:
        self.model = model

    def rerank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Return how well each text answers, from 0 to 1: the model's own scores are logits."""
        scores = [float(score) for score in self._encoder.rerank(query, list(texts))]
        if len(scores) != len(texts):
            raise AnswerUnusable(problem=f"{self.model} gave {len(scores)} scores for {len(texts)} texts")
        return [1 / (1 + math.exp(-max(-60.0, min(60.0, score)))) for score in scores]

    @cached_property
    def _encoder(self) -> Any:
        cross_encoder = _import("fastembed.rerank.cross_encoder")
        try:
            return cross_encoder.TextCrossEncoder(model_name=self.model, local_files_only=True)
        except Exception as error:  # an unknown model, one that is not here, a full disk: each its own type
            raise ModelUnusable(problem=f"{self.model} is not at hand: {error}") from error


def _import(name: str) -> Any:
    try:
        return import_without_telemetry(name)
    except ImportError as error:
        raise ModelUnusable(problem="fastembed is missing: pip install holdfast[fastembed]") from error
