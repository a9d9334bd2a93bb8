"""Cleanup deletes what is over, says why, and does nothing when it is only asked."""

import threading
from pathlib import Path

import pytest

from holdfast.model.limits import DAY_MS
from holdfast.model.requests import Draft
from holdfast.model.search import Filters
from holdfast.model.upkeep import Departure, StoreLimits
from holdfast.ports import Store
from holdfast.service.scopes import Scopes
from holdfast.service.service import Service
from holdfast.service.upkeep import UpkeepOptions, UpkeepRunner
from holdfast.stores.sqlite.store import SqliteStore
from holdfast.upkeep.round import departure
from tests.conftest import FakeClock
from tests.contract.builders import NOW, a_memory, keep
from tests.upkeep.rounds import Ticking, a_round, tending


def test_cleanup_deletes_what_faded_and_what_expired_and_says_why(store: Store) -> None:
    faded = a_memory(kind="discovery", fades=NOW, created_at=NOW - 21 * DAY_MS, title="Old find")
    expired = a_memory(kind="fact", trust="user", expires=NOW, title="Until today")
    stays = a_memory(fades=NOW + 1)
    keep(store, faded, expired, stays)
    expected = {
        Departure(id=faded.id, kind="discovery", title="Old find", rule="faded",
                  why="discovery, not confirmed for 21 days, read 0 times"),
        Departure(id=expired.id, kind="fact", title="Until today", rule="expired", why="expired on 2027-01-15"),
    }  # fmt: skip
    keeper = tending(store, FakeClock(NOW))
    would = keeper.cleanup(dry_run=True)
    assert (set(would.gone), would.dry_run) == (expected, True)
    assert store.upkeep.memories() == 3
    assert set(keeper.cleanup().gone) == expected
    assert store.memories.newest(Filters(), 9) == [stays]
    assert keeper.cleanup().gone == ()


def test_cleanup_leaves_history_with_what_took_its_place(store: Store) -> None:
    new = a_memory()
    old = a_memory(fades=NOW - 1, valid_until=NOW - 2, superseded_by=new.id)
    keep(store, new, old)
    assert tending(store, FakeClock(NOW)).cleanup().gone == ()
    assert store.memories.history(new.id) == [new, old]


def test_upkeep_by_itself_deletes_nothing_for_its_age(service: Service, clock: FakeClock) -> None:
    service.add(Draft(content="The walrus queue drains", kind="task_progress", trust="agent"))
    for _ in range(40):
        clock.advance(5 * DAY_MS)
        service.upkeep.when_due()
    assert len(service.list(Filters(), everything=True)) == 1


@pytest.mark.parametrize("trust", ["user", "imported"])
def test_what_a_person_put_there_stays_whatever_its_age(service: Service, clock: FakeClock, trust: str) -> None:
    for place, kind in enumerate(("task_progress", "observation", "fact", "error", "warning")):
        service.add(Draft(content=f"Note {place} of the walrus", kind=kind, trust=trust))
    for _ in range(60):
        clock.advance(6 * DAY_MS)
        service.upkeep.when_due()
        assert service.cleanup().gone == ()
    assert len(service.list(Filters())) == 5


def test_a_second_cleanup_finds_nothing_and_an_interrupted_one_can_be_run_again(store: Store) -> None:
    keep(store, *(a_memory(fades=NOW - 1) for _ in range(250)))
    keeper = tending(store, FakeClock(NOW))

    def impatient(done: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        keeper.cleanup(progress=impatient)
    assert store.upkeep.memories() == 150
    assert len(keeper.cleanup().gone) == 150


def test_what_changed_since_it_was_chosen_stays(tmp_path: Path) -> None:
    """Another process may confirm a memory while a cleanup goes on."""
    path = tmp_path / "memory.db"
    mine, theirs = (SqliteStore.open(path, project="p", now=NOW) for _ in range(2))
    first, second = a_memory(fades=NOW - 1), a_memory(fades=NOW - 1)
    keep(mine, first, second)
    chosen = a_round(mine)
    going = [(one, departure(one, "faded", "old")) for one in (first, second)]
    with theirs.writing():
        theirs.memories.count_read([second.id], NOW - 2 * DAY_MS)
    assert chosen.evict(going) == 1
    assert [one.id for one in chosen.ledger.gone] == [first.id]
    assert [one.id for one in mine.memories.newest(Filters(), 9)] == [second.id]
    mine.close()
    theirs.close()


def test_cleanup_leaves_no_dead_words_and_says_when_it_compacted(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "memory.db", project="p", now=NOW)
    keep(store, a_memory(content="the zebrafinch sings", fades=NOW - 1), a_memory(content="the walrus sleeps"))
    assert tending(store, FakeClock(NOW)).cleanup().gone
    assert store.upkeep.totals().compacted_at == NOW
    assert store.memories.words("zebrafinch") == {}
    store.close()
    assert b"zebrafinch" not in (tmp_path / "memory.db").read_bytes()


def test_a_forget_drives_out_words_of_what_was_evicted_before(tmp_path: Path) -> None:
    """Eviction alone leaves dead words in the index; a scrub does not."""
    store = SqliteStore.open(tmp_path / "memory.db", project="p", now=NOW)
    gone, evicted = a_memory(content="zebrafinch one"), a_memory(content="zebrafinch two")
    keep(store, gone, evicted, a_memory(content="the walrus sleeps"))
    with store.writing():
        store.memories.evict([evicted.id])
        store.memories.delete([gone.id])
    assert not store.scrub()
    store.close()
    assert b"zebrafinch" not in (tmp_path / "memory.db").read_bytes()


def test_a_cleanup_lets_a_busy_store_pass_and_goes_on(tmp_path: Path) -> None:
    """Others come first; what was counted is counted once."""
    path = tmp_path / "memory.db"
    mine = SqliteStore.open(path, project="p", now=NOW, busy_ms=20)
    keep(mine, *(a_memory(fades=NOW - 1) for _ in range(150)), a_memory(kind="decision", fades=NOW - 1))
    taken, over = threading.Event(), threading.Event()

    def hold() -> None:
        theirs = SqliteStore.open(path, project="p", now=NOW)
        with theirs.writing():
            taken.set()
            over.wait(0.1)
        theirs.close()

    holder = threading.Thread(target=hold)

    def once(done: int) -> None:
        if not taken.is_set():
            holder.start()
            taken.wait()

    cleaned = tending(mine, FakeClock(NOW)).cleanup(progress=once)
    over.set()
    holder.join()
    assert (len(cleaned.gone), dict(cleaned.kept)) == (150, {"a decision": 1})
    mine.close()


def test_a_cleanup_rests_after_each_step_for_as_long_as_it_took(store: Store) -> None:
    """Who waits to write gets the lock; a dry run keeps nobody waiting and does not rest."""
    keep(store, *(a_memory(fades=NOW - 1) for _ in range(150)))
    rests: list[float] = []
    care = UpkeepOptions(StoreLimits(), "test", timer=Ticking(0.05), rest=rests.append)
    keeper = UpkeepRunner(Scopes(store), FakeClock(NOW), care)
    keeper.cleanup(dry_run=True)
    assert rests == []
    keeper.cleanup()
    assert len(rests) >= 2
    assert {round(rest, 6) for rest in rests} == {0.05}
