"""Rerank with a cross-encoder of the optional `fastembed` package: it reads question and text together.

Better than two vectors side by side and far slower, so only the best few are shown to it. fastembed is imported
at the first question. Nothing is downloaded then: an agent waits, and nothing leaves the machine by itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from holdfast.embedding.telemetry import import_without_telemetry
from holdfast.errors import AnswerUnusable, ModelUnusable


class CrossEncoder:
    """`ports.Reranker` by a fastembed model."""

    def __init__(self, model: str) -> None:
        self.model = model
        self._encoder: Any = None

    def rerank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Return how well each text answers, from 0 to 1: the model's own scores are logits."""
        scores = [float(score) for score in self._ready().rerank(query, list(texts))]
        if len(scores) != len(texts):
            raise AnswerUnusable(problem=f"{self.model} gave {len(scores)} scores for {len(texts)} texts")
        return [1 / (1 + math.exp(-max(-60.0, min(60.0, score)))) for score in scores]

    def _ready(self) -> Any:
        if self._encoder is None:
            try:
                cross_encoder = import_without_telemetry("fastembed.rerank.cross_encoder")
            except ImportError as error:
                raise ModelUnusable(problem="fastembed is missing: pip install holdfast[fastembed]") from error
            try:
                self._encoder = cross_encoder.TextCrossEncoder(model_name=self.model, local_files_only=True)
            except Exception as error:  # an unknown model, one that is not here, a full disk: each its own type
                raise ModelUnusable(problem=f"{self.model} is not at hand: {error}") from error
        return self._encoder
