"""Embedders for tests where the model does not matter."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import EmbeddingFailed

Floats = NDArray[np.float32]
SYNONYMS = {"jobs": "queue", "tasks": "queue", "hue": "colour", "tint": "colour", "tusks": "walrus"}
TOPICS = ("queue", "colour", "walrus", "price", "night")


class Topics:
    """Turns a text into the topics it names; knows that some words mean the same. `down` makes it fail, `poison`
    makes it answer with what is no number; texts that hold `refused` it does not take."""

    def __init__(self, model: str = "topics", spare: int = 1) -> None:
        self.model = model
        self.dimensions = len(TOPICS) + spare
        self.down = False
        self.poison = False
        self.refused: str | None = None
        self.asked: list[str] = []
        self.before: Callable[[], None] = lambda: None

    def embed(self, texts: Sequence[str]) -> Floats:
        self.before()
        if self.down:
            raise EmbeddingFailed(problem="the embedder is down")
        if self.refused and any(self.refused in text for text in texts):
            raise EmbeddingFailed(problem="the embedder cannot take it")
        self.asked.extend(texts)
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[-1] = 0.1
            for word in text.lower().replace(".", " ").split():
                meant = SYNONYMS.get(word, word)
                if meant in TOPICS:
                    row[TOPICS.index(meant)] += 1
        if self.poison:
            rows[:] = np.nan
        scaled: Floats = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return scaled

    def embed_query(self, text: str) -> Floats:
        row: Floats = self.embed([text])[0]
        return row
