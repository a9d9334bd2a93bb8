"""Upkeep comes by itself: when it is due, a little at a time, and never in anybody's way."""

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from holdfast.errors import StoreBusy, StoreError, StoreRaced, StoreUnwritable
from holdfast.machine import failures
from holdfast.model.kinds import COMPLETED
from holdfast.model.limits import DAY_MS
from holdfast.model.requests import Draft, Message, PruneRequest
from holdfast.model.search import Filters
from holdfast.model.upkeep import StoreLimits
from holdfast.ports import Store
from holdfast.service.scopes import Scopes
from holdfast.service.service import Service
from holdfast.service.upkeep import READS, RESTING_MS, UpkeepOptions, UpkeepRunner
from holdfast.storage.open import open_service
from holdfast.stores.sqlite.store import SqliteStore
from tests.conftest import FakeClock
from tests.contract.builders import NOW, a_memory, keep
from tests.embedders import Topics
from tests.upkeep.rounds import LONG_AGO, Ticking, tending
from tests.upkeep.services import opened


def test_a_day_passes_between_one_upkeep_and_the_next(store: Store) -> None:
    clock = FakeClock(NOW)
    keeper = tending(store, clock, max_memories=10)
    keeper.when_due()
    keep(store, *(a_memory(created_at=LONG_AGO) for _ in range(20)))
    clock.advance(DAY_MS - 1)
    keeper.when_due()
    assert store.upkeep.memories() == 20
    clock.advance(1)
    keeper.when_due()
    assert store.upkeep.memories() == 8
    assert store.upkeep.totals().tended_at == clock.now()


def test_the_first_upkeep_of_a_new_store_is_due_in_a_day(store: Store) -> None:
    clock = FakeClock(NOW)
    sessions_looked_after: list[int] = []
    care = UpkeepOptions(StoreLimits(), "test", lambda: sessions_looked_after.append(clock.now()))
    keeper = UpkeepRunner(Scopes(store), clock, care)
    keeper.when_due()
    assert (sessions_looked_after, store.upkeep.totals().tended_at) == ([], NOW)
    assert store.upkeep.refaded()
    clock.advance(DAY_MS)
    keeper.when_due()
    assert sessions_looked_after == [NOW + DAY_MS]


def test_a_slice_stops_when_its_time_is_over_and_the_next_goes_on(store: Store) -> None:
    """Each look at the timer costs a fifth of a second, so that a slice has room for one step or two."""
    clock = FakeClock(NOW)
    care = UpkeepOptions(StoreLimits(max_memories=10), "test", timer=Ticking(0.2))
    keeper = UpkeepRunner(Scopes(store), clock, care)
    keep(store, *(a_memory(created_at=LONG_AGO) for _ in range(450)))
    sizes = []
    for _ in range(8):
        keeper.when_due()
        sizes.append(store.upkeep.memories())
    assert 0 < sizes[0] < 450
    assert sorted(sizes, reverse=True) == sizes
    assert sizes[-1] == 8


def failing(error: StoreError) -> Callable[[], None]:
    """Return what fails as a store does."""

    def fail() -> None:
        raise error

    return fail


@pytest.mark.parametrize(
    ("error", "problems"),
    [
        (StoreUnwritable(path="memory.db", problem="no room"), ["StoreUnwritable"]),
        (StoreBusy(path="memory.db", seconds=1), []),
        (StoreRaced(path="memory.db", problem="twice"), []),
    ],
)
def test_a_slice_that_fails_fails_nobody_and_is_noted_unless_the_store_was_busy(
    error: StoreError, problems: list[str], store: Store, tmp_path: Path
) -> None:
    clock = FakeClock(NOW)
    keep(store, a_memory())
    care = UpkeepOptions(StoreLimits(), "test", failing(error), root=tmp_path)
    for _ in range(2):
        UpkeepRunner(Scopes(store), clock, care).when_due()
    noted = failures.failures(str(tmp_path))
    assert [(step, problem.partition(":")[0]) for _, step, problem in noted] == [
        ("upkeep", name) for name in problems
    ]


def test_every_fiftieth_read_is_a_slice(project: Path, embedder: Topics, clock: FakeClock) -> None:
    """Counted in the store: most processes read once."""
    service = opened(project, embedder, clock)
    memory_id = service.add(Draft(content="The walrus queue drains", trust="agent")).id
    assert memory_id
    service.upkeep.cleanup()  # the first upkeep of a store can take longer than a slice may
    service.close()
    tended = []
    for _ in range(101):
        clock.advance(1_000)
        service = opened(project, embedder, clock)
        service.get([memory_id])
        tended.append(service.stats().upkeep.totals.tended_at == clock.now())  # type: ignore[union-attr]  # a store
        service.close()
    assert [place + 1 for place, now in enumerate(tended) if now] == [50, 100]


def test_reads_in_quick_succession_bring_one_slice_in_ten_seconds(store: Store) -> None:
    clock = FakeClock(NOW)
    keeper = tending(store, clock)
    memory = a_memory()
    keep(store, memory)
    tended = []
    for _ in range(READS * 4):
        with store.writing():
            store.memories.count_read([memory.id], clock.now())
        clock.advance(RESTING_MS // (READS * 2))
        keeper.after_reads(store, 1)
        tended.append(store.upkeep.totals().tended_at == clock.now())
    assert [place + 1 for place, now in enumerate(tended) if now] == [READS, READS * 3]


def test_opening_ends_silent_sessions_and_judges_what_was_promoted(
    project: Path, embedder: Topics, clock: FakeClock
) -> None:
    service = opened(project, embedder, clock)
    session = service.start_session("codex")
    service.record(session.id, Message(role="user", text="From now on we use Redis for the walrus queue."))
    service.close()
    clock.advance(2 * DAY_MS)
    service = opened(project, embedder, clock)
    assert service.session(session.id).status == COMPLETED
    service.close()


def test_upkeep_that_is_switched_off_does_nothing_by_itself(
    project: Path, embedder: Topics, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_UPKEEP_AUTO", "false")
    service = opened(project, embedder, clock)
    clock.advance(9 * DAY_MS)
    service.close()
    service = opened(project, embedder, clock)
    state = service.stats().upkeep
    assert state
    assert state.totals.tended_at is None
    assert service.cleanup().gone == ()
    service.close()


def test_a_paused_memory_is_left_alone(
    project: Path, embedder: Topics, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(project, embedder, clock).close()
    clock.advance(9 * DAY_MS)
    monkeypatch.setenv("HOLDFAST_DISABLE", "1")
    service = opened(project, embedder, clock)
    state = service.stats().upkeep
    assert state
    assert state.totals.tended_at == clock.now() - 9 * DAY_MS
    service.close()


def test_a_busy_store_holds_nobody_up(tmp_path: Path) -> None:
    """Who opens a store while another process writes gets what they came for."""
    path = tmp_path / "memory.db"
    mine, theirs = (SqliteStore.open(path, project="p", now=NOW) for _ in range(2))
    keep(mine, *(a_memory(created_at=LONG_AGO) for _ in range(20)))
    with theirs.writing():
        tending(mine, FakeClock(NOW), max_memories=10).when_due()
    assert mine.upkeep.memories() == 20
    tending(mine, FakeClock(NOW), max_memories=10).when_due()
    assert mine.upkeep.memories() == 8
    mine.close()
    theirs.close()


def test_a_store_that_is_too_big_needs_no_day_to_pass(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "memory.db", project="p", now=NOW)
    clock = FakeClock(NOW)
    tending(store, clock).when_due()
    keep(store, *(a_memory(content=f"{place} " + "words " * 400, created_at=LONG_AGO) for place in range(200)))
    tending(store, clock, max_bytes=store.upkeep.used() - 1).when_due()
    assert store.upkeep.memories() < 200
    store.close()


def test_upkeep_reaches_the_users_own_store(service: Service, clock: FakeClock) -> None:
    service.add(Draft(content="The walrus queue drains", kind="warning", scope="user", trust="agent"))
    clock.advance(5 * DAY_MS)
    service.upkeep.when_due()
    for _ in range(6):
        clock.advance(6 * DAY_MS)
        service.upkeep.when_due()
    assert [one.kind for one in service.cleanup().gone] == ["warning"]


def test_status_changes_nothing(project: Path, embedder: Topics, clock: FakeClock) -> None:
    opened(project, embedder, clock).close()
    clock.advance(9 * DAY_MS)
    looking = open_service(project, actor="status", clock=clock, create=False, upkeep=False)
    state = looking.stats().upkeep
    assert state
    assert state.totals.tended_at == clock.now() - 9 * DAY_MS
    looking.close()


def test_a_state_warns_from_four_fifths_of_the_limit_on(store: Store) -> None:
    state = tending(store, FakeClock(NOW)).state(store)
    assert replace(state, used=79, max_bytes=100).warning is None
    assert "80% of the size limit" in str(replace(state, used=80, max_bytes=100).warning)


def test_totals_are_those_of_the_store_since_it_was_made(service: Service) -> None:
    kept = service.add(Draft(content="The walrus queue drains", trust="agent")).id
    gone = service.add(Draft(content="The lynx parser stalls", source="web", trust="agent")).id
    assert kept
    assert gone
    service.get([kept, gone])
    assert len(service.prune(PruneRequest(source="web")).ids) == 0, "it was read just now"
    state = service.stats().upkeep
    assert state
    assert (state.totals.reads, state.totals.evictions, state.memories) == (2, 0, 2)
    assert len(service.list(Filters())) == 2
