"""Several processes on one store."""

from pathlib import Path

import pytest

from holdfast import Holdfast
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
