"""Damaged files: noticed, set aside, brought back from a backup, and never silently made anew."""

import os
import random
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.errors import InvalidInput, NotAStore, StoreDamaged
from holdfast.model.care import Checkup
from holdfast.storage.guard import Guard
from holdfast.storage.open import open_service
from holdfast.storage.workspace import open_guard
from tests.faults.hostile import change
from tests.faults.processes import database, inconsistencies, start
from tests.faults.tables import failing_rows


@pytest.fixture
def guard(project: Path) -> Guard:
    return open_guard(project, actor="test")


def remember(project: Path, count: int) -> None:
    """Remember enough to fill some pages."""
    with Holdfast.open(project) as memory:
        memory.add_many([{"content": f"Fact {n} about the queue {'x' * 300}"} for n in range(count)])


def problems(checkup: Checkup) -> dict[str, str]:
    """Return what is wrong, by name."""
    return {one.name: one.message for one in checkup.diagnoses if one.severity == "problem"}


def flip(path: Path, luck: random.Random) -> None:
    """Flip bytes in the middle of a page, anywhere after the first."""
    data = bytearray(path.read_bytes())
    page = luck.randrange(1, len(data) // 4096) * 4096
    data[page : page + 64] = bytes(byte ^ 0xFF for byte in data[page : page + 64])
    path.write_bytes(data)


def truncate(path: Path, luck: random.Random) -> None:
    """Cut the file off within its second half."""
    os.truncate(path, luck.randrange(path.stat().st_size // 2, path.stat().st_size - 4096))


def garble_header(path: Path, luck: random.Random) -> None:
    """Overwrite the first bytes."""
    data = bytearray(path.read_bytes())
    data[:100] = luck.randbytes(100)
    path.write_bytes(data)


def empty(path: Path, luck: random.Random) -> None:
    """Leave nothing."""
    os.truncate(path, 0)


HARMS = {harm.__name__: harm for harm in (flip, truncate, garble_header, empty)}


def test_damage_is_found_set_aside_and_restored(tmp_path: Path) -> None:
    """`doctor` says so, and its repair brings the newest backup back; the damaged file is kept."""
    rows = [f"{name} {seed}" for name in HARMS for seed in (1, 2)]
    assert failing_rows(rows, lambda row: harm_and_restore(tmp_path / row, *row.split())) == []


def harm_and_restore(project: Path, name: str, seed: str) -> None:
    """Damage a store that has a backup, examine and repair it."""
    project.mkdir()
    guard = open_guard(project, actor="test")
    remember(project, 200)
    guard.back_up()
    path = database(project)
    HARMS[name](path, random.Random(int(seed)))
    damaged = path.read_bytes()
    found = problems(guard.examine())
    assert found
    assert path.read_bytes() == damaged
    repaired = guard.repair()
    assert repaired.healthy, repaired
    with Holdfast.open(project) as memory:
        assert memory.stats().counts.memories == 200
    assert inconsistencies(project) == []
    kept = list(path.parent.glob("memory.db.damaged-*"))
    if "integrity" in found:
        assert [one.read_bytes() for one in kept] == [damaged]


def test_opening_a_damaged_store_says_so_and_changes_nothing(tmp_path: Path) -> None:
    names = [name for name in HARMS if name != "flip"]
    assert failing_rows(names, lambda name: harm_and_open(tmp_path / name, name)) == []


def harm_and_open(project: Path, name: str) -> None:
    """Damage a store where opening it must notice."""
    project.mkdir()
    remember(project, 200)
    path = database(project)
    HARMS[name](path, random.Random(4))
    damaged = path.read_bytes()
    for create in (True, False):
        with pytest.raises(StoreDamaged, match=r"is damaged.*`holdfast doctor --repair`"):
            open_service(project, actor="test", create=create)
    assert path.read_bytes() == damaged
    assert [one.name for one in path.parent.iterdir() if one.name.startswith("memory.db.")] == []


def test_flipped_bytes_are_noticed_when_they_are_read(project: Path) -> None:
    """What a query touches is checked; the whole file only by `doctor`."""
    remember(project, 200)
    data = bytearray(database(project).read_bytes())
    for page in range(4096 * 4, len(data), 4096):
        data[page : page + 16] = b"\xff" * 16
    database(project).write_bytes(data)
    with pytest.raises(StoreDamaged, match="is damaged"), Holdfast.open(project) as memory:
        memory.list()
    assert database(project).read_bytes() == data


def test_damage_without_a_backup_is_left_as_it_is_and_said(project: Path, guard: Guard) -> None:
    """Nothing is salvaged or made anew by itself; the way on is named, and keeps the file."""
    remember(project, 200)
    path = database(project)
    truncate(path, random.Random(1))
    damaged = path.read_bytes()
    checkup = guard.repair()
    assert not checkup.healthy
    [advice] = [one.advice for one in checkup.diagnoses if one.name == "integrity"]
    assert "there is no backup" in advice
    assert "`holdfast init --fresh`" in advice
    assert path.read_bytes() == damaged
    aside = guard.begin_anew()
    assert aside
    assert aside.read_bytes() == damaged
    with Holdfast.open(project) as memory:
        assert memory.stats().counts.memories == 0


def test_a_store_that_works_is_not_replaced_by_a_fresh_one(project: Path, guard: Guard) -> None:
    remember(project, 1)
    before = database(project).read_bytes()
    with pytest.raises(InvalidInput, match="a store is here, and it works"):
        guard.begin_anew()
    assert database(project).read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"my diary", b"SQLite format 3\0" + b"\0" * 200])
def test_a_file_that_was_never_a_store_is_refused_untouched_by_everything(
    project: Path, guard: Guard, content: bytes
) -> None:
    path = database(project)
    path.parent.mkdir()
    path.write_bytes(content)
    path.chmod(0o600)
    path.parent.chmod(0o700)
    for attempt in (lambda: Holdfast.open(project), guard.trust, guard.back_up, guard.begin_anew):
        with pytest.raises(NotAStore, match="left untouched"):
            attempt()
    assert problems(guard.repair())
    assert path.read_bytes() == content


def test_a_garbled_or_deleted_log_leaves_a_consistent_store(project: Path) -> None:
    """What stood only there is gone; the rest fits together."""
    luck = random.Random(9)
    for harm in ("garbled", "deleted", "cut"):
        worker = start("write_forever", project, harm)
        assert worker.stdout
        for _ in range(6):
            worker.stdout.readline()
        worker.kill()
        worker.communicate()
        log = database(project).with_name("memory.db-wal")
        if harm == "deleted":
            log.unlink()
            log.with_name("memory.db-shm").unlink(missing_ok=True)
        elif harm == "cut":
            os.truncate(log, log.stat().st_size // 2)
        else:
            data = bytearray(log.read_bytes())
            place = luck.randrange(len(data) // 3, len(data) // 2)
            data[place : place + 50] = luck.randbytes(50)
            log.write_bytes(data)
        with Holdfast.open(project) as memory:
            assert memory.add(f"Goes on after {harm}").created
        assert inconsistencies(project) == []


def test_a_log_left_without_its_database_does_not_leak_into_a_new_store(project: Path) -> None:
    """SQLite would play it back into whatever has the name."""
    worker = start("write_forever", project, "x")
    assert worker.stdout
    for _ in range(6):
        worker.stdout.readline()
    worker.kill()
    worker.communicate()
    assert database(project).with_name("memory.db-wal").stat().st_size > 0
    database(project).unlink()
    with Holdfast.open(project) as memory:
        assert memory.stats().counts.memories == 0
        memory.add("A new beginning")
    assert inconsistencies(project) == []
    assert list(database(project).parent.glob("memory.db.orphan-*-wal"))


def test_an_index_out_of_step_is_found_and_repaired(project: Path, guard: Guard) -> None:
    """Full text and change log are made anew from the rows."""
    remember(project, 20)
    change(
        database(project),
        "INSERT INTO memory_fts (memory_fts) VALUES ('delete-all');"
        "DELETE FROM change WHERE row < 5;"
        "INSERT INTO change (target, row, action) VALUES ('memory', 999, 'insert');",
    )
    with Holdfast.open(project) as memory:
        assert memory.search("queue", mode="keyword") == []
    assert set(problems(guard.examine())) == {"full-text", "change-log"}
    repaired = guard.repair()
    assert repaired.healthy
    assert len(repaired.repaired) == 2
    with Holdfast.open(project) as memory:
        assert len(memory.search("queue")) == 10
    assert inconsistencies(project) == []
    assert list(database(project).parent.glob("*.damaged-*")) == []
