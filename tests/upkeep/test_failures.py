"""An embedder that fails costs vectors only, and whoever asks is told why, until it is over."""

from pathlib import Path

import pytest

from holdfast.errors import InvalidInput, MeaningUnavailable
from holdfast.model.requests import Draft
from holdfast.service.service import Service
from holdfast.storage.open import open_service
from holdfast.upkeep.asking import PAUSE_MS
from holdfast.upkeep.embed import PORTION_ROWS
from tests.conftest import FakeClock
from tests.embedders import Topics
from tests.upkeep.services import opened, titles, waiting


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
        "since 2027-01-15T08:00:00Z: No vectors were made: the embedder is down. Keyword search goes on, and what "
        "waits is embedded later.",
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
    assert len(tries) == 2  # a row, and whether it is that or the embedder
    service.flush()
    assert len(tries) == 4
    titles(service, "jobs")
    assert len(tries) == 4
    clock.advance(PAUSE_MS)
    titles(service, "jobs")
    assert len(tries) == 6


def test_searching_by_meaning_alone_says_why_it_cannot(service: Service, embedder: Topics) -> None:
    embedder.down = True
    service.add(Draft(content="Jobs go to Redis"))
    with pytest.raises(MeaningUnavailable, match=r"no searching by meaning just now: .*the embedder is down"):
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


@pytest.mark.parametrize("error", [RuntimeError("it blew up"), ValueError(), MemoryError("no room")])
def test_whatever_an_embedder_raises_fails_no_verb(service: Service, embedder: Topics, error: Exception) -> None:
    def fail() -> None:
        raise error

    embedder.before = fail
    assert service.add(Draft(content="Jobs go to Redis")).created
    assert titles(service, "redis") == ["Jobs go to Redis"]
    service.flush()
    service.reindex()
    state = service.stats().embedding
    assert state
    assert type(error).__name__ in str(state.problem)


def test_numbers_that_are_none_are_no_vector(service: Service, embedder: Topics) -> None:
    """They would be kept, and never found."""
    embedder.poison = True
    service.add(Draft(content="Jobs go to Redis"))
    service.flush()
    assert waiting(service)["memory"] == 1
    state = service.stats().embedding
    assert state
    assert "no finite number" in str(state.problem)


def test_a_text_that_an_embedder_refuses_holds_up_no_other(service: Service, embedder: Topics) -> None:
    """And whoever asks is told why that one waits, but can search by meaning."""
    embedder.refused = "refused"
    service.add_many([Draft(content=f"queue {number}") for number in range(3 * PORTION_ROWS)])
    service.add_many([Draft(content=f"refused colour {number}") for number in range(5)])
    service.add_many([Draft(content=f"walrus {number}") for number in range(PORTION_ROWS)])
    service.flush()
    assert waiting(service)["memory"] == 5
    for query in ("tusks", "walrus"):
        assert len(titles(service, query, mode="vector", limit=100)) == PORTION_ROWS
        assert "cannot take it" in str(service.stats().embedding)
    embedder.refused = None
    service.flush()
    assert waiting(service)["memory"] == 0
    assert "cannot take it" not in str(service.stats().embedding)


def test_a_row_that_is_refused_is_tried_once_by_those_who_wait(
    project: Path, embedder: Topics, clock: FakeClock
) -> None:
    service = opened(project, embedder, clock, embed_on_add=False)
    service.add_many([Draft(content="queue"), Draft(content="refused")])
    embedder.refused = "refused"
    calls: list[int] = []
    embedder.before = lambda: calls.append(1)
    assert len(titles(service, "jobs", mode="vector")) == 1
    assert len(calls) == 4  # two rows, a probe, the question
    titles(service, "tasks")
    assert len(calls) == 5


@pytest.mark.parametrize("kept", ["topics", "other"])
def test_reindexing_with_a_model_that_cannot_run_keeps_the_vectors_there_are(
    project: Path, embedder: Topics, clock: FakeClock, kept: str
) -> None:
    first = opened(project, Topics(kept), clock)
    first.add(Draft(content="Jobs go to Redis"))
    first.close()
    embedder.down = True
    service = opened(project, embedder, clock)
    service.reindex()
    state = service.stats().embedding
    assert state
    assert (state.kept, dict(state.waiting)) == (kept, {"memory": 0, "turn": 0})
    assert "the embedder is down" in str(state.problem)
    assert titles(opened(project, Topics(kept), clock), "queue") == ["Jobs go to Redis"]


def test_a_later_process_is_told_why_something_waits_until_it_is_over(
    project: Path, embedder: Topics, clock: FakeClock
) -> None:
    embedder.down = True
    first = opened(project, embedder, clock)
    first.add(Draft(content="Jobs go to Redis"))
    first.close()
    clock.advance(86_400_000)
    later = opened(project, embedder, clock)
    state = later.stats().embedding
    assert state
    assert str(state.problem).startswith("since 2027-01-15T08:00:00Z: No vectors were made: the embedder is down")
    later.flush()
    assert state == later.stats().embedding
    other = opened(project, Topics("other"), clock).stats().embedding
    assert other
    assert other.problem is None
    embedder.down = False
    later.flush()
    later.close()
    over = opened(project, embedder, clock).stats().embedding
    assert over
    assert over.problem is None


def test_a_question_that_fails_is_remembered_and_one_that_succeeds_ends_it(
    service: Service, embedder: Topics, clock: FakeClock
) -> None:
    service.add(Draft(content="Jobs go to Redis"))
    embedder.down = True
    titles(service, "queue one")
    assert "is down" in str(service.stats().embedding)
    embedder.down = False
    clock.advance(PAUSE_MS)
    assert titles(service, "queue two") == ["Jobs go to Redis"]
    assert "is down" not in str(service.stats().embedding)


def test_what_a_server_said_of_a_text_goes_when_something_is_forgotten(
    project: Path, embedder: Topics, clock: FakeClock
) -> None:
    """It may have repeated the text."""

    def refuse() -> None:
        raise ValueError("cannot embed 'Zanzibar is the password'")

    service = opened(project, embedder, clock)
    embedder.before = refuse
    added = service.add(Draft(content="Zanzibar is the password"))
    service.forget(added.id or "")
    service.close()
    assert "Zanzibar" not in str(opened(project, Topics(), clock).stats())
    files = list((project / ".holdfast").iterdir())
    assert [file.name for file in files if file.is_file() and b"Zanzibar" in file.read_bytes()] == []
