"""Several processes on one store."""

from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.model.records import EventFilters
from holdfast.stores.sqlite.store import SqliteStore
from tests.contract.builders import NOW, a_memory, keep
from tests.embedded import service_behind
from tests.faults.processes import finish, inconsistencies, start, stored_ids, tell_to_stop


def test_four_writers_and_four_readers_lose_nothing_and_see_no_lock(project: Path) -> None:
    """Every promised row is there, no row is there twice, and no process ended with an error."""
    Holdfast.open(project).close()
    writers = [start("write_count", project, str(number), "80") for number in range(4)]
    readers = [start("read", project) for _ in range(4)]
    promised = [word for writer in writers for word in finish(writer)]
    tell_to_stop(project)
    rounds = [int(finish(reader)[0]) for reader in readers]
    assert len(promised) == len(set(promised)) == 4 * 80
    assert stored_ids(project) == set(promised)
    assert min(rounds) > 0
    assert inconsistencies(project) == []


def test_four_processes_that_create_the_store_at_once_share_one(project: Path) -> None:
    """Of several stores made at once one wins, and all of them write into it."""
    writers = [start("write_count", project, str(number), "10") for number in range(4)]
    promised = {word for writer in writers for word in finish(writer)}
    assert len(promised) == 40
    assert stored_ids(project) == promised
    assert [path.name for path in (project / ".holdfast").glob(".memory.db*")] == []


@pytest.mark.soak
def test_eight_processes_with_a_thousand_writes_each_make_eight_thousand_rows(project: Path) -> None:
    """No lock surfaces however crowded it gets."""
    writers = [start("write_count", project, str(number), "1000") for number in range(8)]
    promised = {word for writer in writers for word in finish(writer)}
    assert len(promised) == 8_000
    assert stored_ids(project) == promised


def test_a_bulk_add_is_many_short_transactions(project: Path) -> None:
    """One event each: whoever else writes waits for one of them, not for all."""
    with Holdfast.open(project) as memory:
        memory.add_many([{"content": f"Fact {number} about the queue"} for number in range(250)])
        events = service_behind(memory).events(EventFilters(action="add", limit=9))
    assert [len(event.ids) for event in events] == [50, 100, 100]


def test_who_wrote_for_long_lets_others_in_before_writing_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else one long transaction follows another, and who waits gives up in the end."""
    waits: list[float] = []
    store = SqliteStore.open(tmp_path / "memory.db", project="p", now=NOW)
    monkeypatch.setattr("holdfast.stores.sqlite.connection.time.sleep", waits.append)
    keep(store, a_memory(content="short"))
    keep(store, a_memory(content="short, too"))
    assert waits == []
    monkeypatch.setattr("holdfast.stores.sqlite.connection.LONG_S", -1.0)
    monkeypatch.setattr("holdfast.stores.sqlite.connection.OTHERS_TURN_S", 3_600.0)
    keep(store, a_memory(content="after a long one"))
    assert len(waits) == 1
    store.close()
