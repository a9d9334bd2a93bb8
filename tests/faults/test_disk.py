"""Disks that are full or read-only: an error that says so, and reading goes on."""

from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.errors import StoreUnwritable
from holdfast.storage.workspace import open_guard
from tests.faults.disks import as_root, fill, make_read_only, small_disk
from tests.faults.hostile import contents
from tests.faults.processes import database, inconsistencies

pytestmark = as_root


def test_a_full_disk_is_a_typed_error_and_reads_go_on(tmp_path: Path) -> None:
    """Nothing is half-written, and when there is space again, writing works."""
    with small_disk(tmp_path / "disk") as disk, Holdfast.open(disk) as memory:
        memory.add_many([{"content": f"Note number {n} about the queue"} for n in range(50)])
        ballast = fill(disk)
        before = memory.stats().counts.memories
        with pytest.raises(StoreUnwritable, match=r"the disk is full\. Nothing was changed; free space"):
            memory.add_many([{"content": f"Too much, number {n} {'x' * 5000}"} for n in range(400)])
        assert len(memory.search("queue")) == 10
        assert memory.get(memory.list()[0].id)
        assert memory.stats().counts.memories == before
        ballast.unlink()
        assert memory.add("There is space again").created
        assert inconsistencies(disk) == []


def test_a_store_on_a_full_disk_can_be_opened_to_read(tmp_path: Path) -> None:
    """Even the log's index, a file of its own, does not fit any more."""
    with small_disk(tmp_path / "disk") as disk:
        with Holdfast.open(disk) as memory:
            memory.add("Known before")
        fill(disk)
        with Holdfast.open(disk) as memory:
            assert [hit.title for hit in memory.search("known")] == ["Known before"]
            with pytest.raises(StoreUnwritable, match="Nothing was changed"):
                memory.add_many([{"content": f"Too much {n} {'x' * 5000}"} for n in range(100)])
        assert inconsistencies_after_room(disk) == []


def inconsistencies_after_room(disk: Path) -> list[str]:
    """Make room and look at the file."""
    (disk / "ballast").unlink()
    return inconsistencies(disk)


def test_a_new_store_on_a_full_disk_is_not_half_made(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        fill(disk)
        with pytest.raises(StoreUnwritable, match="cannot be written"):
            Holdfast.open(disk)
        assert not database(disk).exists()


def test_a_read_only_file_system_can_be_read_with_a_clear_message(tmp_path: Path) -> None:
    """Search, get and list work, every write says why not, and `doctor` names it."""
    with small_disk(tmp_path / "disk") as disk:
        with Holdfast.open(disk) as memory:
            added = memory.add("Burnt on the disk").id or ""
        make_read_only(disk)
        before = contents(disk / ".holdfast")
        with Holdfast.open(disk) as memory:
            assert [hit.title for hit in memory.search("burnt")] == ["Burnt on the disk"]
            assert memory.get(added)[0].content == "Burnt on the disk"
            assert "the file system is read-only" in (memory.stats().project.read_only or "")
            with pytest.raises(StoreUnwritable, match="cannot be written: the file system is read-only"):
                memory.add("No")
        found = {one.name: one for one in open_guard(disk, actor="test").examine().diagnoses}
        assert found["writable"].severity == "problem"
        assert "read-only" in found["writable"].message
        assert contents(disk / ".holdfast") == before


def test_a_read_only_file_system_with_a_log_left_is_said_not_guessed_at(tmp_path: Path) -> None:
    """Without the log the file would show an older state as if it were the present one."""
    with small_disk(tmp_path / "disk") as disk:
        memory = Holdfast.open(disk)
        memory.add("Only in the log")
        crashed(disk, memory, "memory.db-wal")
        make_read_only(disk)
        with pytest.raises(StoreUnwritable, match="read-only"):
            Holdfast.open(disk)


def test_a_read_only_file_system_with_a_log_and_its_index_left_can_be_read(tmp_path: Path) -> None:
    """Then nothing is missing, and the newest rows are there."""
    with small_disk(tmp_path / "disk") as disk:
        memory = Holdfast.open(disk)
        memory.add("Only in the log")
        crashed(disk, memory, "memory.db-wal", "memory.db-shm")
        make_read_only(disk)
        with Holdfast.open(disk) as reader:
            assert [one.content for one in reader.list()] == ["Only in the log"]
            with pytest.raises(StoreUnwritable, match="the file system is read-only"):
                reader.add("No")


def crashed(disk: Path, memory: Holdfast, *left: str) -> None:
    """Close a store, and leave its files as a machine that lost power in between would show them."""
    kept = {name: (disk / ".holdfast" / name).read_bytes() for name in ("memory.db", *left)}
    memory.close()
    for name, content in kept.items():
        (disk / ".holdfast" / name).write_bytes(content)


def test_a_store_cannot_be_made_where_nothing_can_be_written(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        make_read_only(disk)
        with pytest.raises(StoreUnwritable, match="Read-only file system"):
            Holdfast.open(disk)
