"""A hook ends within its time, with success, whatever it is waiting for."""

import subprocess
import sys

import pytest

from tests.hooking import HUNG_S
from tests.rows import each

PROGRAM = """
import sys, time
from holdfast.interfaces.hooks import watchdog
def note(ms): sys.stderr.write("gave up"); sys.stderr.flush()
watchdog.guard(int(sys.argv[1]), note)
watchdog.within(int(sys.argv[2]))
{work}
print("done", flush=True)
"""


def run(work: str, most: int, budget: int) -> subprocess.CompletedProcess[str]:
    """Run some work under a watchdog."""
    command = [sys.executable, "-c", PROGRAM.format(work=work), str(most), str(budget)]
    return subprocess.run(command, capture_output=True, text=True, timeout=HUNG_S)


@pytest.fixture(autouse=True)
def _own_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a hook find out for itself how slow this machine is."""
    monkeypatch.delenv("HOLDFAST_HOOK_PACE")


def test_work_within_its_time_is_left_alone() -> None:
    done = run("pass", LONG_MS, LONG_MS)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


WAITING = ["time.sleep(9_000)", "import os; os.read(os.pipe()[0], 1)"]
"""Each for longer than a test may take: whoever ends it did not wait."""

LONG_MS = 900_000


@each("work", WAITING)
def test_a_step_that_waits_too_long_ends_with_success_and_a_last_word(work: str) -> None:
    done = run(work, LONG_MS, 100)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "gave up")


@each("work", [*WAITING, "while True: pass"])
def test_nothing_takes_longer_than_the_whole_may(work: str) -> None:
    done = run(work, 200, LONG_MS)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "gave up")


BUDGET_MS = 60_000


def granted(work: str) -> float:
    """Return how many times as long as usual what comes next may take, by the limit that is set then."""
    grant = f"{work}; begun = watchdog._alive_ms(); watchdog.within({BUDGET_MS}); limit = watchdog._limits[1]"
    done = run(f"{grant}; print((limit - begun) / {BUDGET_MS})", LONG_MS, LONG_MS)
    return float(done.stdout.split()[0])


def test_on_a_machine_that_is_slow_a_hook_has_longer() -> None:
    """One that got on a hundred times slower than its work so far has ten times as long, and no longer."""
    assert round(granted("watchdog._STARTED_AT -= 100")) == 10


def test_a_machine_that_is_known_to_be_slow_is_given_more_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """More than a process would conclude by itself; what is no number is nothing that is known."""
    monkeypatch.setenv("HOLDFAST_HOOK_PACE", "50")
    assert round(granted("pass")) == 50
    monkeypatch.setenv("HOLDFAST_HOOK_PACE", "1e9")
    assert round(granted("pass")) <= 10


def test_more_time_can_be_granted_and_is_not_taken_back() -> None:
    limits = "first = watchdog._limits[0]; watchdog.extend({}); print(watchdog._limits[0] >= {})"
    assert run(limits.format(4 * LONG_MS, 4 * LONG_MS), LONG_MS, LONG_MS).stdout.split()[0] == "True"
    assert run(limits.format(1, "first"), LONG_MS, LONG_MS).stdout.split()[0] == "True"


def test_half_of_a_step_is_left_until_either_limit_is_nearer_than_that() -> None:
    """The clock is set: a step of 500 ms begins at 400; then the whole may last to 800 only."""
    clock = "watchdog._pace = lambda: 1.0; watchdog._alive_ms = lambda: now[0]"
    step = "now = [400.0]; watchdog._limits[0] = 1e9; watchdog.within(500)"
    ask = "now[0] = {0}; print(watchdog.has_half_left())"
    asks = "; ".join(ask.format(at) for at in (400.0, 650.0, 651.0))
    assert run(f"now = [0.0]; {clock}; {step}; {asks}", LONG_MS, LONG_MS).stdout.split()[:3] == [
        "True",
        "True",
        "False",
    ]
    whole = "watchdog._limits[0] = 800; " + "; ".join(ask.format(at) for at in (550.0, 551.0))
    done = run(f"now = [0.0]; {clock}; {step}; {whole}", LONG_MS, LONG_MS)
    assert done.stdout.split()[:2] == ["True", "False"]
