"""A hook ends within its time, with success, whatever it is waiting for."""

import subprocess
import sys
import time

import pytest

PROGRAM = """
import sys, time
from holdfast.interfaces.hooks import watchdog
def note(ms): sys.stderr.write("gave up"); sys.stderr.flush()
watchdog.guard(int(sys.argv[1]), note)
watchdog.within(int(sys.argv[2]))
{work}
print("done", flush=True)
"""


def run(work: str, most: int, budget: int) -> tuple[subprocess.CompletedProcess[str], float]:
    """Run some work under a watchdog, and say how long it took."""
    begun = time.perf_counter()
    command = [sys.executable, "-c", PROGRAM.format(work=work), str(most), str(budget)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30)
    return done, time.perf_counter() - begun


@pytest.fixture(autouse=True)
def _own_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a hook find out for itself how slow this machine is."""
    monkeypatch.delenv("HOLDFAST_HOOK_PACE")


def test_work_within_its_time_is_left_alone() -> None:
    done, _ = run("pass", 9_000, 5_000)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


WAITING = ["time.sleep(20)", "import os; os.read(os.pipe()[0], 1)"]


@pytest.mark.parametrize("work", WAITING)
def test_a_step_that_waits_too_long_ends_with_success_and_a_last_word(work: str) -> None:
    done, seconds = run(work, 60_000, 100)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "gave up")
    assert seconds < 10


@pytest.mark.parametrize("work", [*WAITING, "while True: pass"])
def test_nothing_takes_longer_than_the_whole_may(work: str) -> None:
    done, seconds = run(work, 200, 60_000)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "gave up")
    assert seconds < 10


def test_on_a_machine_that_is_slow_a_hook_has_longer() -> None:
    """One that got on ten times slower than its work so far has ten times as long, and no longer."""
    slow = "watchdog._BORN -= 100; watchdog.within(100); time.sleep({seconds})"
    assert run(slow.format(seconds=0.4), 900_000, 900_000)[0].stdout == "done\n"
    assert run(slow.format(seconds=20), 900_000, 900_000)[0].stderr == "gave up"


def test_a_machine_that_is_known_to_be_slow_is_given_more_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_HOOK_PACE", "10")
    assert run("time.sleep(0.5)", 900_000, 100)[0].stdout == "done\n"
    monkeypatch.setenv("HOLDFAST_HOOK_PACE", "1e9")
    assert run("time.sleep(20)", 900_000, 100)[0].stderr == "gave up"


def test_more_time_can_be_granted() -> None:
    done, _ = run("watchdog.extend(9_000); watchdog.within(5_000); time.sleep(0.3)", 200, 100)
    assert (done.returncode, done.stdout) == (0, "done\n")
