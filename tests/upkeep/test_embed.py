"""Vectors are made when there is time, never at the price of a write or a search."""

from pathlib import Path

import pytest

from holdfast.errors import InvalidInput, MeaningUnavailable, SwitchedOff
from holdfast.model.requests import Changes, Draft, Message, SearchRequest
from holdfast.service.service import Service
from holdfast.storage.open import open_service
from holdfast.upkeep.asking import QUERIES
from holdfast.upkeep.embed import ADDING, ENDING, PORTION_ROWS, PORTION_TEXTS, SEARCHING, Allowance
from tests.conftest import FakeClock
from tests.embedders import Topics
from tests.upkeep.services import opened, titles, waiting


def test_what_means_the_same_is_found_without_sharing_a_word(service: Service) -> None:
    service.add_many([Draft(content="Jobs go to Redis"), Draft(content="The tint is dark")])
    assert titles(service, "colour") == ["The tint is dark"]
    assert titles(service, "colour", mode="keyword") == []
    assert titles(service, "colour", mode="vector") == ["The tint is dark"]


def test_a_small_add_is_embedded_at_once_and_a_large_one_waits(service: Service, embedder: Topics) -> None:
    service.add_many([Draft(content=f"queue {n}") for n in range(ADDING.texts)])
    assert waiting(service) == {"memory": 0, "turn": 0}
    service.add_many([Draft(content=f"colour {n}") for n in range(ADDING.texts + 1)])
    assert waiting(service) == {"memory": ADDING.texts + 1, "turn": 0}
    assert len(embedder.asked) == ADDING.texts
    assert len(titles(service, "colour", mode="keyword", limit=100)) == ADDING.texts + 1


def test_a_search_embeds_a_little_of_what_waits_and_flush_all(service: Service) -> None:
    service.add_many([Draft(content=f"queue number {n}") for n in range(4 * SEARCHING.texts)])
    titles(service, "jobs")
    left = waiting(service)["memory"]
    assert 4 * SEARCHING.texts - SEARCHING.texts <= left < 4 * SEARCHING.texts
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
    service.record(session.id, Message(role="user", text="Where do jobs go?"))
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


def test_where_onnxruntime_is_missing_hashing_stands_in_and_says_so(
    project: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_EMBEDDING_MODEL", "minilm")
    monkeypatch.setattr("holdfast.storage.options.missing_packages", lambda: ["onnxruntime"])
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
    monkeypatch.setattr("holdfast.storage.options.missing_packages", lambda: ["onnxruntime"])
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
    opened(project, embedder, clock).add(Draft(content="The tint is dark"))
    other = opened(project, Topics("other"), clock)
    assert titles(other, "tint") == ["The tint is dark"]
    assert titles(other, "colour") == []
    state = other.stats().embedding
    assert state
    assert state.problem == "the vectors are of topics; `holdfast reindex` makes those of other"
    other.reindex()
    assert titles(other, "colour") == ["The tint is dark"]
    state = other.stats().embedding
    assert state
    assert (state.kept, state.problem) == ("other", None)


def test_reindexing_goes_on_where_it_was_interrupted(project: Path, embedder: Topics, clock: FakeClock) -> None:
    service = opened(project, embedder, clock)
    service.add_many([Draft(content=f"queue number {n}") for n in range(5 * PORTION_ROWS)])
    service.flush()
    embedder.asked.clear()
    calls: list[int] = []

    def interrupt() -> None:
        calls.append(1)
        if len(calls) == 4:  # a probe, and two portions
            raise KeyboardInterrupt

    embedder.before = interrupt
    with pytest.raises(KeyboardInterrupt):
        service.reindex()
    service.close()
    embedder.before = lambda: None
    again = opened(project, embedder, clock)
    assert waiting(again)["memory"] == 3 * PORTION_ROWS
    again.reindex()
    assert waiting(again)["memory"] == 0
    assert len(embedder.asked) == 1 + 5 * PORTION_ROWS
    assert len(titles(again, "jobs", mode="vector", limit=1_000)) == 5 * PORTION_ROWS


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
    assert titles(service, "queue", kinds=("fact",)) == ["Tasks wait"]


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


def test_an_embedder_gets_a_question_as_valid_text(service: Service, embedder: Topics) -> None:
    """A byte that is no UTF-8 arrives from a shell as half a character, which tokenizers refuse."""
    service.add(Draft(content="Jobs go to Redis"))
    assert titles(service, "queue \udcff\x00") == ["Jobs go to Redis"]
    assert embedder.asked[-1] == "queue \ufffd"


@pytest.mark.parametrize("spare", [1, 9])
@pytest.mark.parametrize("mode", ["keyword", "hybrid", "vector"])
def test_a_store_with_another_model_s_vectors_is_searched_by_words(
    project: Path, tmp_path: Path, embedder: Topics, clock: FakeClock, mode: str, spare: int
) -> None:
    """Whatever their dimension: cosines between two models' vectors mean nothing."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    opened(elsewhere, Topics("other", spare), clock).add(Draft(content="My jobs are queue jobs", scope="user"))
    service = opened(project, embedder, clock)
    service.add(Draft(content="The queue is Redis"))
    expected = {"keyword": 2, "hybrid": 2, "vector": 1}
    assert len(titles(service, "queue", mode=mode)) == expected[mode]
    for hit in service.search(SearchRequest(query="queue", mode=mode)):
        assert ("cosine" in hit.why) <= (hit.title == "The queue is Redis")


@pytest.mark.parametrize("within", ["turns", "sessions"])
def test_turns_with_another_model_s_vectors_are_searched_by_words(
    project: Path, embedder: Topics, clock: FakeClock, within: str
) -> None:
    other = opened(project, Topics("other", 9), clock)
    session = other.start_session("codex")
    other.record(session.id, Message(role="user", text="Where is the queue?"))
    other.end_session(session.id)
    service = opened(project, embedder, clock)
    service.add(Draft(content="My queue", scope="user"))
    assert len(titles(service, "queue", within=within)) == 1


LONG = "queue and more words " * 400
"""Too long for whoever waits for something else."""


def test_what_is_long_waits_for_flush_and_holds_up_no_add_no_search_and_no_session(
    service: Service, embedder: Topics
) -> None:
    """A row is embedded whole or not at all, and this one would take seconds."""
    service.add_many([Draft(content=f"{number} {LONG}") for number in range(3)])
    session = service.start_session("codex")
    service.record(session.id, Message(role="assistant", text=LONG * 2))
    service.end_session(session.id)
    titles(service, "walrus", within="all")
    assert embedder.asked == []
    with pytest.raises(MeaningUnavailable, match="nothing has a vector yet"):
        titles(service, "queue", mode="vector")
    service.flush()
    assert waiting(service) == {"memory": 0, "turn": 0}
    assert len(titles(service, "queue", mode="vector", within="memories")) == 3


def test_what_is_short_behind_something_long_is_embedded_all_the_same(
    project: Path, embedder: Topics, clock: FakeClock
) -> None:
    service = opened(project, embedder, clock, embed_on_add=False)
    service.add_many([Draft(content="Jobs go to Redis"), Draft(content=LONG)])
    assert titles(service, "queue", mode="vector") == ["Jobs go to Redis"]
    assert waiting(service)["memory"] == 1


def test_an_add_counts_chunks_and_not_memories(service: Service, embedder: Topics) -> None:
    chunky = "queue jobs " * 250
    service.add_many([Draft(content=f"{number} {chunky}") for number in range(ADDING.texts)])
    assert 0 < len(embedder.asked) <= ADDING.texts
    assert waiting(service)["memory"] > ADDING.texts // 2


@pytest.mark.parametrize("allowance", [ADDING, SEARCHING, ENDING])
def test_the_clock_ends_it_for_whoever_waits(
    project: Path, embedder: Topics, clock: FakeClock, allowance: Allowance
) -> None:
    """Each row takes half the time there is: three are begun, the others wait."""
    service = opened(project, embedder, clock, embed_on_add=allowance is not SEARCHING)
    if allowance is ENDING:
        session = service.start_session("codex")
        for number in range(8):
            service.record(session.id, Message(role="assistant", text=f"queue {number}"))
    embedder.before = lambda: clock.advance(allowance.ms // 2)
    if allowance is ENDING:
        service.end_session(session.id)
    else:
        service.add_many([Draft(content=f"queue {number}") for number in range(8)])
        if allowance is SEARCHING:
            titles(service, "jobs")
    assert sum(waiting(service).values()) == 5


def test_flush_keeps_what_it_made_in_portions_of_chunks(service: Service, embedder: Topics) -> None:
    """So that an interruption loses little, however long the rows are."""
    service.add_many([Draft(content=f"{number} {LONG}") for number in range(9)])
    calls: list[int] = []
    embedder.before = lambda: calls.append(len(embedder.asked))
    service.flush()
    sizes = [after - before for before, after in zip(calls, [*calls[1:], len(embedder.asked)], strict=True)]
    assert len(sizes) >= 2
    assert max(sizes) <= PORTION_TEXTS


def test_flush_ends_when_another_process_switches_the_model(
    project: Path, embedder: Topics, clock: FakeClock
) -> None:
    service = opened(project, embedder, clock)
    service.add_many([Draft(content=f"queue {number}") for number in range(3 * PORTION_ROWS)])
    done: list[int] = []

    def switch(rows: int) -> None:
        done.append(rows)
        if len(done) == 1:
            down = Topics("other")
            other = opened(project, down, clock)
            other.restart_vectors()
            other.close()

    service.flush(switch)
    assert done == [PORTION_ROWS]
    assert waiting(service)["memory"] == 3 * PORTION_ROWS
    state = service.stats().embedding
    assert state
    assert state.problem == "the vectors are of other; `holdfast reindex` makes those of topics"


def test_flush_keeps_another_model_s_vectors_and_says_so(
    project: Path, embedder: Topics, clock: FakeClock
) -> None:
    opened(project, Topics("other"), clock).add(Draft(content="Jobs go to Redis"))
    service = opened(project, embedder, clock)
    service.add(Draft(content="Tasks wait"))
    service.flush()
    state = service.stats().embedding
    assert state
    assert (state.kept, dict(state.waiting)) == ("other", {"memory": 1, "turn": 0})
    assert state.problem == "the vectors are of other; `holdfast reindex` makes those of topics"


def test_only_the_scope_named_goes_over_to_another_model(
    project: Path, embedder: Topics, clock: FakeClock
) -> None:
    """The user's own store is every project's."""
    first = opened(project, Topics("other"), clock)
    first.add_many([Draft(content="Jobs go to Redis"), Draft(content="Tint all dark", scope="user")])
    service = opened(project, embedder, clock)
    service.reindex()
    stats = service.stats()
    assert stats.embedding
    assert stats.user_embedding
    assert (stats.embedding.kept, stats.user_embedding.kept) == ("topics", "other")
    assert stats.user_embedding.problem == (
        "the vectors are of other; `holdfast reindex --user` makes those of topics"
    )
    service.reindex(scope="user")
    assert titles(service, "colour") == ["Tint all dark"]
    with pytest.raises(InvalidInput, match="scope"):
        service.reindex(scope="everything")


def test_while_memory_is_off_searching_and_reindexing_write_nothing(
    project: Path, embedder: Topics, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(project, embedder, clock, embed_on_add=False).add(Draft(content="Jobs go to Redis"))
    monkeypatch.setenv("HOLDFAST_DISABLE", "1")
    service = opened(project, embedder, clock)
    assert titles(service, "redis") == ["Jobs go to Redis"]
    assert waiting(service)["memory"] == 1
    for verb in (service.flush, service.reindex, service.restart_vectors):
        with pytest.raises(SwitchedOff):
            verb()
    monkeypatch.delenv("HOLDFAST_DISABLE")
    service.flush()
    embedder.down = True
    monkeypatch.setenv("HOLDFAST_DISABLE", "1")
    titles(service, "redis")
    with pytest.raises(MeaningUnavailable):
        titles(service, "queue", mode="vector")
    service.close()
    state = opened(project, Topics(), clock).stats().embedding
    assert state
    assert state.problem is None


@pytest.mark.parametrize("scope", [None, "user"])
def test_searching_an_empty_store_by_meaning_finds_nothing_and_says_nothing(
    service: Service, scope: str | None
) -> None:
    assert titles(service, "queue", mode="vector", scope=scope) == []
