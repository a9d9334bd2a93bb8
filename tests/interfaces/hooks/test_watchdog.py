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
{work}
print("done", flush=True)
"""


def run(work: str, budget: int) -> tuple[subprocess.CompletedProcess[str], float]:
    """Run some work under a watchdog, and say how long it took."""
    begun = time.perf_counter()
    command = [sys.executable, "-c", PROGRAM.format(work=work), str(budget)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30)
    return done, time.perf_counter() - begun


def test_work_within_its_time_is_left_alone() -> None:
    done, _ = run("pass", 5_000)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


@pytest.mark.parametrize("work", ["time.sleep(20)", "while True: pass", "import os; os.read(os.pipe()[0], 1)"])
def test_work_that_takes_too_long_ends_with_success_and_a_last_word(work: str) -> None:
    done, seconds = run(work, 100)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "gave up")
    assert seconds < 3


def test_more_time_can_be_granted() -> None:
    done, _ = run("watchdog.allow(5_000); time.sleep(0.3)", 100)
    assert (done.returncode, done.stdout) == (0, "done\n")
