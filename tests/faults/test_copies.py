"""Backups under a wrong clock, copies that killed processes left, and files that must outlive a power cut."""

import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.machine import disk, paths
from holdfast.model.limits import DAY_MS
from holdfast.storage.guard import Guard
from holdfast.storage.workspace import open_guard
from tests.conftest import FakeClock
from tests.faults.processes import ROOT, database

CENTURY = 73 * 365 * DAY_MS


@pytest.fixture
def guard(project: Path, clock: FakeClock) -> Guard:
    with Holdfast.open(project) as memory:
        memory.add("Work of the first day")
    return open_guard(project, actor="test", clock=clock)


def test_a_backup_of_a_wrong_clock_never_wins_over_newer_work_and_prunes_none_of_it(
    project: Path, guard: Guard, clock: FakeClock
) -> None:
    clock.advance(CENTURY)
    guard.back_up_daily()
    clock.advance(-CENTURY)
    for day in range(4):
        with Holdfast.open(project) as memory:
            memory.add(f"Work of day {day}")
        guard.back_up_daily()
        clock.advance(DAY_MS)
    kept = guard.backups()
    assert len(kept) == guard.rules.keep
    assert all(one.taken_at < clock.now() for one in kept)
    database(project).unlink()
    guard.restore()
    with Holdfast.open(project) as memory:
        assert next(one.title for one in memory.list()) == "Work of day 3"


def test_a_backup_after_a_restore_is_newer_than_all_before_it(project: Path, guard: Guard) -> None:
    """A restore winds back whatever the store counts itself."""
    first = guard.back_up()
    with Holdfast.open(project) as memory:
        memory.add("Work that a restore takes back")
    guard.back_up()
    guard.restore(Path(first.path))
    with Holdfast.open(project) as memory:
        memory.add("Work after the restore")
    newest = guard.back_up()
    assert guard.backups()[0].path == newest.path


def half_made(folder: Path) -> Path:
    """Leave a copy as a killed process does."""
    folder.mkdir(parents=True, exist_ok=True)
    left = folder / ".20990101T000000Z.db.0123456789ab.new"
    for tail in ("", "-wal", "-journal"):
        left.with_name(left.name + tail).write_bytes(b"plain text")
    return left


def test_a_backup_sweeps_the_copies_that_killed_ones_left(guard: Guard) -> None:
    """Their names hold the time, so that no later one would ever have found them by its own."""
    folder = Path(guard.back_up().path).parent
    for place in (folder, guard.path.parent, Path(paths.data_directory())):
        half_made(place)
    guard.back_up()
    left = [path for place in (folder, guard.path.parent) for path in place.glob(".*.new*")]
    assert left == []


def test_doctor_names_copies_that_were_left_and_removes_them(guard: Guard) -> None:
    left = half_made(Path(guard.back_up().path).parent)
    [seen] = [one for one in guard.examine().diagnoses if one.name == "leftovers"]
    assert (seen.severity, str(left) in seen.message) == ("warning", True)
    assert any("removed 1 copies" in one for one in guard.repair().repaired)
    assert not left.exists()


def test_a_copy_that_somebody_is_making_is_left_alone(guard: Guard) -> None:
    left = half_made(Path(guard.back_up().path).parent)
    with left.open("rb") as worker:
        fcntl.flock(worker, fcntl.LOCK_EX)
        guard.back_up()
        assert left.exists()


KILLED = """
import os, signal, sys
from pathlib import Path
from holdfast.stores.sqlite import files
with files.private_file(Path(sys.argv[1]) / "x.db") as fresh:
    fresh.write_bytes(b"plain text")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_copy_is_swept_at_once_not_after_a_while(guard: Guard) -> None:
    """Its lock went with its process."""
    folder = Path(guard.back_up().path).parent
    killed = subprocess.run([sys.executable, "-c", KILLED, str(folder)], cwd=ROOT)
    assert killed.returncode == -signal.SIGKILL
    assert len(list(folder.glob(".x.db.*.new"))) == 1
    guard.back_up()
    assert list(folder.glob(".x.db.*.new")) == []


def test_registry_tokens_settings_and_the_daily_log_go_through_one_durable_replace(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is seen to the disk with its name: a store whose entry is lost would be refused as somebody else's."""
    from holdfast.service.daily_log import DailyLog
    from holdfast.storage.settings import change
    from holdfast.storage.tokens import TokenFile
    from tests.contract.builders import NOW, a_memory

    replaced: list[str] = []
    real = disk.replace_file

    def noted(path: "str | os.PathLike[str]", *rest: object) -> None:
        replaced.append(os.path.basename(os.fspath(path)))
        real(path, *rest)  # type: ignore[arg-type]  # passed on as it came

    monkeypatch.setattr(disk, "replace_file", noted)
    with Holdfast.open(project) as memory:
        memory.add("Something")
    TokenFile(project / "tokens.json").create(
        name="ci", tenant="local", scope="read", project=None, expires=None, now=NOW
    )
    change(project, "brief.start_budget", "900", user=True, agreed=lambda *_: True)
    daily_log = DailyLog(project / "log")
    daily_log.write([a_memory(content="To be forgotten")], NOW)
    daily_log.erase([a_memory(content="To be forgotten")])
    assert {"tokens.json", "config.toml"} <= set(replaced)
    assert [name for name in replaced if name.endswith(".json") and name != "tokens.json"]
    assert [name for name in replaced if name.endswith(".md")]
