"""The fastembed adapter, with the package absent and with a stand-in for it."""

import sys
from collections.abc import Iterator
from types import ModuleType

import numpy as np
import pytest
from numpy.typing import NDArray

from holdfast.embedding.fastembed import Fastembed
from holdfast.errors import AnswerUnusable, ModelUnusable


class TextEmbedding:
    """What fastembed offers, as far as it is used."""

    def __init__(self, model_name: str, threads: int) -> None:
        self.chosen = (model_name, threads)

    def embed(self, texts: list[str]) -> Iterator[NDArray[np.float32]]:
        return (np.array([len(text), 0], np.float32) for text in texts)

    def query_embed(self, text: str) -> Iterator[NDArray[np.float32]]:
        return iter([np.array([0, len(text)], np.float32)])


@pytest.fixture
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    package = ModuleType("fastembed")
    package.TextEmbedding = TextEmbedding  # type: ignore[attr-defined]  # a stand-in module
    monkeypatch.setitem(sys.modules, "fastembed", package)


def test_a_missing_package_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastembed", None)
    with pytest.raises(ModelUnusable, match=r"pip install holdfast\[fastembed\]"):
        Fastembed("m", 2).embed(["a"])


@pytest.mark.usefixtures("_installed")
def test_documents_and_questions_take_their_own_ways() -> None:
    embedder = Fastembed("m", 2)
    np.testing.assert_array_equal(embedder.embed(["abc", "d"]), [[1, 0], [1, 0]])
    np.testing.assert_array_equal(embedder.embed_query("abc"), [0, 1])


@pytest.mark.usefixtures("_installed")
def test_another_dimension_is_refused() -> None:
    with pytest.raises(AnswerUnusable, match="2 dimensions, configured are 3"):
        Fastembed("m", 3).embed(["a"])
