"""A second opinion from a cross-encoder, which is an extra: a stand-in for fastembed is enough to hold our
side."""

import sys
from collections.abc import Iterator, Sequence
from types import ModuleType

import pytest

from holdfast.embedding.fastembed import CrossEncoder
from holdfast.errors import AnswerUnusable, ModelUnusable
from holdfast.model.memory import Origin
from holdfast.model.requests import BriefRequest
from holdfast.service.briefs import Briefs, BriefSettings
from holdfast.service.scopes import Scopes
from holdfast.stores.sqlite.store import SqliteStore
from tests.conftest import FakeClock
from tests.contract.builders import a_memory, keep


class Model:
    """Scores a text by how often it holds the query."""

    def __init__(self, model_name: str, local_files_only: bool = False) -> None:
        if not local_files_only:
            raise AssertionError("it would be downloaded, in forty seconds, while an agent waits")
        if model_name == "unknown":
            raise ValueError("no such model")
        self.short = model_name == "short"

    def rerank(self, query: str, documents: Sequence[str]) -> Iterator[float]:
        scores = [100.0 * (document.count(query) - 0.5) for document in documents]
        return iter(scores[:-1] if self.short else scores)


@pytest.fixture
def _fastembed(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("fastembed.rerank.cross_encoder")
    module.TextCrossEncoder = Model  # type: ignore[attr-defined]  # that is the point
    for name in ("fastembed", "fastembed.rerank"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, "fastembed.rerank.cross_encoder", module)


@pytest.mark.usefixtures("_fastembed")
def test_scores_lie_between_nought_and_one_in_the_order_of_the_texts() -> None:
    good, bad = CrossEncoder("model").rerank("walrus", ["a walrus", "an ocelot"])
    assert good == pytest.approx(1.0)
    assert bad == pytest.approx(0.0)


@pytest.mark.usefixtures("_fastembed")
def test_a_model_that_is_not_there_or_answers_too_little_is_named() -> None:
    with pytest.raises(ModelUnusable, match="no such model"):
        CrossEncoder("unknown").rerank("x", ["y"])
    with pytest.raises(AnswerUnusable, match="1 scores for 2 texts"):
        CrossEncoder("short").rerank("x", ["y", "z"])


@pytest.mark.usefixtures("_fastembed")
@pytest.mark.parametrize("model", ["unknown", "short"])
def test_a_brief_is_what_it_was_without_a_reranker_whose_model_is_not_at_hand(model: str) -> None:
    store = SqliteStore.in_memory()
    for rest in ("and gives up after the seventh", "only while the sandbox and its certificates are up"):
        content = f"The capture client makes its attempts at the acquirer {rest}."
        keep(store, a_memory(content=content, trust="user", status="confirmed"))
    origin = Origin(project="p", tenant="local", user="ada")
    wish = BriefRequest(prompt="How many attempts does our capture client make at the acquirer?")
    plain, reranked = (
        Briefs(Scopes(store), FakeClock(), lambda: origin, BriefSettings(reranker=reranker)).context(wish)
        for reranker in (None, CrossEncoder(model))
    )
    assert reranked.items == plain.items
    assert len(reranked.items) == 2
    assert reranked.failure is None


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastembed.rerank.cross_encoder", None)
    with pytest.raises(ModelUnusable, match=r"holdfast\[fastembed\]"):
        CrossEncoder("model").rerank("x", ["y"])
