"""Loss of power at random moments: what the disk had promised is there, and what is there fits together.

A day of work is recorded call by call, with the user's data beside the project; then disks are made as a loss of
power could leave them, and each is opened as a user would.
"""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.disk import spy
from tests.faults.disk.power import Disk, cut_power
from tests.faults.disk.record import Change, read_record
from tests.faults.disk.survey import losses
from tests.faults.mortal import RECORD, Mortal

pytestmark = spy.needs_compiler


@pytest.fixture(scope="module")
def mortal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mortal]:
    """A process with a spy before its disk."""
    lives = Mortal(spy.build(tmp_path_factory.mktemp("spy")))
    yield lives
    lives.end()


def cut_often(mortal: Mortal, folder: Path, synchronous: str, times: int, seed: int) -> int:
    """Record a day, then cut the power so many times; return how many changes there were."""
    ended = mortal.live_on_disk("busy_day", folder, HOLDFAST_STORE_SYNCHRONOUS=synchronous)
    assert ended.code == 0, ended.promises[-1]
    changes = read_record(folder / RECORD)
    luck = random.Random(seed)
    for number in range(times):
        promises = cut_power(changes, folder / "home", luck, strict=bool(number % 2))
        assert losses(folder / "home", promises, to_the_disk=synchronous == "full") == [], (seed, number)
    return len(changes)


@pytest.mark.parametrize("synchronous", ["normal", "full"])
def test_whenever_the_power_goes_nothing_is_lost_but_the_latest(
    mortal: Mortal, tmp_path: Path, synchronous: str
) -> None:
    """With `full` not even that."""
    assert cut_often(mortal, tmp_path, synchronous, times=20, seed=5) > 1_000


@pytest.mark.soak
@pytest.mark.parametrize("synchronous", ["normal", "full"])
def test_four_hundred_power_cuts_lose_nothing_but_the_latest(
    mortal: Mortal, tmp_path: Path, synchronous: str
) -> None:
    changes = cut_often(mortal, tmp_path, synchronous, times=400, seed=17)
    print(f"\n400 power cuts over {changes:,} changes, synchronous={synchronous}")


def test_a_record_holds_every_kind_of_change_and_what_was_promised(mortal: Mortal, tmp_path: Path) -> None:
    """A spy that sees nothing would make every disk whole."""
    mortal.live_on_disk("busy_day", tmp_path)
    changes = read_record(tmp_path / RECORD)
    seen = {change.what for change in changes}
    assert seen == {"write", "cut", "sync", "make", "rename", "link", "remove", "folder", "promise"}
    below = [Path(change.path).relative_to(tmp_path / "home").parts for change in changes if change.path[0] == "/"]
    assert {parts[0] for parts in below if parts} == {"project", "data"}


def test_what_was_not_synced_may_be_gone_and_what_was_is_not() -> None:
    """The disks themselves: contents by their own sync, names by their folder's or, on an orderly disk, any."""
    made = Change("make", "/home/a", "", 1, b"")
    written = Change("write", "/home/a", "", 0, b"x" * 600)
    synced, folder = Change("sync", "/home/a", "", 0, b""), Change("sync", "/home", "", 0, b"")

    def left(strict: bool, *changes: Change) -> set[bytes | None]:
        disk = Disk(strict=strict)
        for change in changes:
            disk.take(change)
        found = [disk.after_power_loss(random.Random(seed)) for seed in range(60)]
        return {one["/home/a"][1] if "/home/a" in one else None for one in found}

    assert left(True, made, written, synced, folder) == {b"x" * 600}
    assert left(True, made, written, synced) == {None, b"x" * 600}
    assert left(False, made, written, synced) == {b"x" * 600}
    assert left(False, made, written, folder) == {b"", b"x" * 512, b"x" * 600}
