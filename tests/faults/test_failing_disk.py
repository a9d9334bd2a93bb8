"""A disk that fails one call: an error that says so or none at all, and nothing acknowledged is lost.

The failing call is counted: the first, the second and so on of a day's work, with the user's data beside the
project. Every kind of failure is tried: no space, a broken disk, half a write, a sync that fails.
"""

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.faults.disk import spy
from tests.faults.disk.spy import KINDS, NOTHING
from tests.faults.disk.survey import losses
from tests.faults.kills import spread
from tests.faults.mortal import Fault, Mortal

pytestmark = spy.needs_compiler


@pytest.fixture(scope="module")
def mortal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mortal]:
    """A process with a spy before its disk."""
    lives = Mortal(spy.build(tmp_path_factory.mktemp("spy")))
    yield lives
    lives.end()


def fail_at(mortal: Mortal, folder: Path, day: str, kind: int, numbers: Sequence[int]) -> None:
    """Let each of these calls fail in a day of its own, every third time with all that follow it."""
    for place, number in enumerate(numbers):
        home = folder / str(number)
        home.mkdir(parents=True)
        ended = mortal.live_on_disk(day, home, Fault(number, kind, for_good=place % 3 == 2))
        assert ended.calls >= number
        assert not ended.killed
        assert [word for word in ended.promises if word.startswith("raw:")] == [], (kind, number)
        assert losses(home / "home", ended.promises, to_the_disk=True) == [], (kind, number)
        shutil.rmtree(home)


def calls_of(mortal: Mortal, folder: Path, day: str, kind: int) -> int:
    """Return how many calls of any such day can fail in a way: ids and times make a few more or fewer."""
    folder.mkdir()
    return mortal.live_on_disk(day, folder, Fault(0, kind)).calls * 9 // 10


@pytest.mark.parametrize("kind", KINDS)
def test_a_call_that_fails_costs_nothing_that_was_acknowledged(mortal: Mortal, tmp_path: Path, kind: str) -> None:
    calls = calls_of(mortal, tmp_path / "counted", "short_day", KINDS[kind])
    assert calls > 20
    fail_at(mortal, tmp_path, "short_day", KINDS[kind], spread(calls, times=5, seed=3))


def test_a_disk_that_takes_nothing_and_says_nothing_holds_no_hook(mortal: Mortal, tmp_path: Path) -> None:
    """Whoever writes on until everything is written would do so for ever."""
    calls = calls_of(mortal, tmp_path / "counted", "listen", NOTHING)
    assert calls > 2
    for number in range(1, calls + 1):
        home = tmp_path / str(number)
        home.mkdir()
        ended = mortal.live_on_disk("listen", home, Fault(number, NOTHING, for_good=number % 2 == 1))
        assert (ended.killed, ended.calls >= number) == (False, True)
        assert losses(home / "home", ended.promises, to_the_disk=True) == []


@pytest.mark.soak
@pytest.mark.parametrize("kind", KINDS)
def test_a_hundred_calls_that_fail_cost_nothing_that_was_acknowledged(
    mortal: Mortal, tmp_path: Path, kind: str
) -> None:
    calls = calls_of(mortal, tmp_path / "counted", "busy_day", KINDS[kind])
    numbers = spread(calls, times=100, seed=23)
    fail_at(mortal, tmp_path, "busy_day", KINDS[kind], sorted(set(numbers)))
    print(f"\n{len(set(numbers))} of {calls:,} calls failed with {kind}")


@pytest.mark.soak
@pytest.mark.parametrize("kind", KINDS)
def test_each_call_of_a_short_day_that_fails_costs_nothing(mortal: Mortal, tmp_path: Path, kind: str) -> None:
    calls = calls_of(mortal, tmp_path / "counted", "short_day", KINDS[kind])
    fail_at(mortal, tmp_path, "short_day", KINDS[kind], range(1, calls + 1))
    print(f"\neach of {calls:,} calls failed with {kind}")
