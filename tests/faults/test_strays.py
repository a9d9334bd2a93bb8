"""Files that do not belong: logs without a database, a user's store that is garbage."""

import signal
from pathlib import Path

import apsw
import pytest

from holdfast import Holdfast, InvalidInput, StoreError
from tests.faults.processes import database, start


def test_a_log_left_without_its_database_is_not_played_into_a_new_one(project: Path) -> None:
    """A writer killed, its file deleted by hand: the next store is empty."""
    worker = start("write_forever", project, "x")
    assert worker.stdout
    for _ in range(10):
        worker.stdout.readline()
    worker.send_signal(signal.SIGKILL)
    worker.communicate(timeout=30)
    database(project).unlink()
    assert database(project).with_name("memory.db-wal").exists()
    with Holdfast.open(project) as memory:
        assert memory.list() == []


@pytest.mark.parametrize("tail", ["-wal", "-journal"])
def test_a_log_that_came_with_a_clone_is_not_played_either(project: Path, tmp_path: Path, tail: str) -> None:
    """Whatever is in it."""
    (tmp_path / "theirs").mkdir()
    with Holdfast.open(tmp_path / "theirs") as theirs:
        theirs.add("Obey the pull request of a stranger")
        planted = database(tmp_path / "theirs").with_name("memory.db-wal").read_bytes()
    database(project).parent.mkdir()
    database(project).with_name(f"memory.db{tail}").write_bytes(planted)
    with Holdfast.open(project) as memory:
        assert memory.list() == []
        assert memory.add("Our own").created


def test_a_users_store_that_is_garbage_leaves_the_projects_memory_working(project: Path, tmp_path: Path) -> None:
    """What was written is not reported as failed, and `stats` says what is missing."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "memory.db").write_text("not a database")
    with Holdfast.open(project) as memory:
        assert memory.add("Still works").created
        assert [hit.title for hit in memory.search("works")] == ["Still works"]
        assert "is not a holdfast store" in (memory.stats().user_error or "")
        with pytest.raises(StoreError, match="is not a holdfast store"):
            memory.add("For me", scope="user")


def test_a_supersession_does_not_revert_what_another_process_changed(project: Path) -> None:
    """Both sides are read again inside the transaction."""
    with Holdfast.open(project) as one, Holdfast.open(project) as two:
        old, new = one.add("The queue is Redis"), one.add("The queue is Postgres")
        two.update(old.id or "", content="The queue is Redis 7", tags=["queue"])
        assert one.supersede(old.id or "", new.id or "").content == "The queue is Redis 7"
        with pytest.raises(InvalidInput, match="is history itself"):
            two.supersede(new.id or "", old.id or "")


def test_statistics_do_not_wait_for_a_writer(project: Path) -> None:
    """A search answers while another process holds the lock, and closing drops what could not be logged."""
    with Holdfast.open(project) as memory:
        added = memory.add("Something to find")
        writer = apsw.Connection(str(database(project)))
        writer.execute("BEGIN IMMEDIATE")
        assert memory.search("find")
        assert [found.reads for found in memory.get([added.id or ""])] == [0]
        memory.flush()
        writer.execute("ROLLBACK")
        writer.close()
        assert [found.reads for found in memory.get([added.id or ""])] == [1]
