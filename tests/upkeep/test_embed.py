"""Vectors are made when there is time, never at the price of a write or a search."""

from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast.errors import InvalidInput
from holdfast.model.memory import Changes, Draft
from holdfast.model.search import Filters, Query
from holdfast.service import Service
from holdfast.upkeep.embed import INLINE, PAUSE_MS, PORTION, QUERIES, SLICE
from holdfast.wiring import open_service
from tests.conftest import FakeClock
from tests.embedders import Topics

Open = Callable[..., Service]


@pytest.fixture
def embedder() -> Topics:
    """An embedder that obeys."""
    return Topics()


@pytest.fixture
def service(project: Path, embedder: Topics, clock: FakeClock) -> Service:
    """A service with that embedder."""
    return opened(project, embedder, clock)


def opened(project: Path, embedder: Topics, clock: FakeClock, embed_on_add: bool = True) -> Service:
    """Open a service."""
    return open_service(project, actor="python", embedder=embedder, clock=clock, embed_on_add=embed_on_add)


def titles(service: Service, text: str, **fields: object) -> list[str]:
    """Search, and return the titles."""
    return [hit.title for hit in service.search(Query(text=text, **fields))]  # type: ignore[arg-type]  # our own names


def waiting(service: Service) -> dict[str, int]:
    """Return what waits for vectors."""
    state = service.stats().embedding
    assert state
    return dict(state.waiting)


def test_what_means_the_same_is_found_without_sharing_a_word(service: Service) -> None:
    service.add_many([Draft(content="Jobs go to Redis"), Draft(content="The tint is dark")])
    assert titles(service, "queue") == ["Jobs go to Redis"]
    assert titles(service, "queue", mode="keyword") == []
    assert titles(service, "queue", mode="vector") == ["Jobs go to Redis"]


def test_a_small_add_is_embedded_at_once_and_a_large_one_waits(service: Service, embedder: Topics) -> None:
    service.add_many([Draft(content=f"queue {n}") for n in range(INLINE)])
    assert waiting(service) == {"memory": 0, "turn": 0}
    service.add_many([Draft(content=f"colour {n}") for n in range(INLINE + 1)])
    assert waiting(service) == {"memory": INLINE + 1, "turn": 0}
    assert len(embedder.asked) == INLINE
    assert len(titles(service, "colour", mode="keyword", limit=100)) == INLINE + 1


def test_a_search_embeds_a_little_of_what_waits_and_flush_all(service: Service) -> None:
    service.add_many([Draft(content=f"queue number {n}") for n in range(4 * SLICE)])
    titles(service, "jobs")
    left = waiting(service)["memory"]
    assert 4 * SLICE - SLICE <= left < 4 * SLICE
    done: list[int] = []
    service.flush(done.append)
    assert waiting(service) == {"memory": 0, "turn": 0}
    assert sum(done) == left


def test_the_command_line_does_not_embed_what_it_adds(project: Path, embedder: Topics, clock: FakeClock) -> None:
    service = opened(project, embedder, clock, embed_on_add=False)
    service.add(Draft(content="Jobs go to Redis"))
    assert embedder.asked == []
    assert titles(service, "queue") == ["Jobs go to Redis"]


def test_turns_are_embedded_when_their_session_ends(service: Service, embedder: Topics) -> None:
    session = service.start_session("codex")
    service.record(session.id, "user", "Where do jobs go?")
    assert embedder.asked == []
    service.end_session(session.id)
    assert waiting(service) == {"memory": 0, "turn": 0}
    assert titles(service, "queue", within="turns") == ["Where do jobs go"]
    assert len(titles(service, "queue", within="sessions")) == 1


def test_a_changed_text_is_embedded_anew(service: Service) -> None:
    added = service.add(Draft(content="Jobs go to Redis"))
    service.update(added.id or "", Changes(content="Tusks are long"))
    assert waiting(service)["memory"] == 1
    assert titles(service, "walrus") == ["Tusks are long"]
    assert titles(service, "queue") == []


def test_a_failing_embedder_fails_no_add_and_no_search(
    service: Service, embedder: Topics, clock: FakeClock
) -> None:
    embedder.down = True
    assert service.add(Draft(content="Jobs go to Redis")).created
    assert titles(service, "redis") == ["Jobs go to Redis"]
    state = service.stats().embedding
    assert state
    assert (dict(state.waiting), state.problem) == (
        {"memory": 1, "turn": 0},
        "No vectors were made: the embedder is down. Keyword search goes on, and what waits is embedded later.",
    )
    service.flush()
    embedder.down = False
    clock.advance(PAUSE_MS)
    assert titles(service, "queue") == ["Jobs go to Redis"]
    state = service.stats().embedding
    assert state
    assert (dict(state.waiting), state.problem) == ({"memory": 0, "turn": 0}, None)


def test_a_failed_embedder_is_left_alone_for_a_while_but_not_by_flush(
    service: Service, embedder: Topics, clock: FakeClock
) -> None:
    embedder.down = True
    tries: list[int] = []
    embedder.before = lambda: tries.append(1)
    for number in range(5):
        service.add(Draft(content=f"queue {number}"))
        titles(service, "jobs")
    assert len(tries) == 1
    service.flush()
    assert len(tries) == 2
    clock.advance(PAUSE_MS)
    titles(service, "jobs")
    assert len(tries) == 3


def test_searching_by_meaning_alone_says_why_it_cannot(service: Service, embedder: Topics) -> None:
    embedder.down = True
    service.add(Draft(content="Jobs go to Redis"))
    with pytest.raises(InvalidInput, match=r"mode: no vectors: .*the embedder is down"):
        titles(service, "queue", mode="vector")


def test_without_an_embedder_words_are_searched(
    project: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_EMBEDDING_MODEL", "none")
    service = open_service(project, actor="python", clock=clock)
    service.add(Draft(content="Jobs go to Redis"))
    service.flush()
    assert titles(service, "redis") == ["Jobs go to Redis"]
    state = service.stats().embedding
    assert state
    assert (state.model, state.kept, dict(state.waiting), state.problem) == (
        None, None, {"memory": 1, "turn": 0}, "embedding.model is none",
    )  # fmt: skip
    with pytest.raises(InvalidInput, match=r"embedding\.model is none"):
        titles(service, "redis", mode="vector")


def test_where_onnxruntime_is_missing_hashing_stands_in_and_says_so(
    project: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_EMBEDDING_MODEL", "minilm")
    monkeypatch.setattr("holdfast.wiring.missing_packages", lambda: ["onnxruntime"])
    service = open_service(project, actor="python", clock=clock)
    service.add(Draft(content="Jobs go to Redis"))
    state = service.stats().embedding
    assert state
    assert state.kept == "hashing-fnv1a-v1"
    assert state.notice == "the bundled model needs onnxruntime, which is missing; word hashing stands in"


def test_a_stand_in_never_drops_the_vectors_of_the_real_model(
    project: Path, embedder: Topics, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(project, embedder, clock).add(Draft(content="Jobs go to Redis"))
    monkeypatch.setenv("HOLDFAST_EMBEDDING_MODEL", "minilm")
    monkeypatch.setattr("holdfast.wiring.missing_packages", lambda: ["onnxruntime"])
    poorer = open_service(project, actor="python", clock=clock)
    poorer.add(Draft(content="Redis is gone"))
    poorer.flush()
    poorer.reindex()
    state = poorer.stats().embedding
    assert state
    assert (state.kept, dict(state.waiting)) == ("topics", {"memory": 1, "turn": 0})
    assert len(titles(poorer, "redis")) == 2


def test_another_model_waits_for_reindex_and_words_work_meanwhile(
    project: Path, embedder: Topics, clock: FakeClock
) -> None:
    opened(project, embedder, clock).add(Draft(content="Jobs go to Redis"))
    other = opened(project, Topics("other"), clock)
    assert titles(other, "redis") == ["Jobs go to Redis"]
    assert titles(other, "queue") == []
    state = other.stats().embedding
    assert state
    assert state.problem == "the vectors are of topics; `holdfast reindex` makes those of other"
    other.reindex()
    assert titles(other, "queue") == ["Jobs go to Redis"]
    state = other.stats().embedding
    assert state
    assert (state.kept, state.problem) == ("other", None)


def test_reindexing_goes_on_where_it_was_interrupted(project: Path, embedder: Topics, clock: FakeClock) -> None:
    service = opened(project, embedder, clock)
    service.add_many([Draft(content=f"queue number {n}") for n in range(5 * PORTION)])
    service.flush()
    embedder.asked.clear()
    calls: list[int] = []

    def interrupt() -> None:
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt

    embedder.before = interrupt
    with pytest.raises(KeyboardInterrupt):
        service.reindex()
    service.close()
    embedder.before = lambda: None
    again = opened(project, embedder, clock)
    assert waiting(again)["memory"] == 3 * PORTION
    again.reindex()
    assert waiting(again)["memory"] == 0
    assert len(embedder.asked) == 5 * PORTION
    assert len(titles(again, "jobs", mode="vector", limit=1_000)) == 5 * PORTION


def test_recent_questions_are_remembered(service: Service, embedder: Topics) -> None:
    service.add(Draft(content="Jobs go to Redis"))
    for number in range(QUERIES + 1):
        titles(service, f"queue {number}")
    embedder.asked.clear()
    titles(service, f"queue {QUERIES}")
    assert embedder.asked == []
    titles(service, "queue 0")
    assert embedder.asked == ["queue 0"]


def test_the_users_own_memories_are_found_by_meaning_too(service: Service) -> None:
    service.add(Draft(content="Tint everything dark", scope="user"))
    service.add(Draft(content="The hue is blue"))
    assert set(titles(service, "colour")) == {"Tint everything dark", "The hue is blue"}
    assert service.stats().user_embedding is not None


def test_filters_hold_for_meaning_too(service: Service) -> None:
    service.add_many(
        [Draft(content="Jobs go to Redis", kind="decision"), Draft(content="Tasks wait", kind="fact")]
    )
    assert titles(service, "queue", filters=Filters(kinds=("fact",))) == ["Tasks wait"]


def test_what_is_superseded_or_expired_is_not_found_by_meaning(service: Service, clock: FakeClock) -> None:
    old = service.add(Draft(content="Jobs go to Redis"))
    service.add(Draft(content="Tasks go to Postgres", supersedes=old.id))
    service.add(Draft(content="Tasks wait until noon", expires=clock.now() + 1_000))
    assert set(titles(service, "queue")) == {"Tasks go to Postgres", "Tasks wait until noon"}
    clock.advance(1_000)
    assert titles(service, "queue") == ["Tasks go to Postgres"]


def test_what_has_nothing_to_do_with_the_question_is_no_answer(service: Service) -> None:
    service.add_many([Draft(content="Jobs go to Redis"), Draft(content="The tint is dark")])
    assert titles(service, "walrus") == []
