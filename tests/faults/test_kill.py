"""A process killed in the middle."""

import random
import subprocess
from pathlib import Path

import pytest

from holdfast import Holdfast
from tests.faults.processes import inconsistencies, start, stored_ids


def kill_after(worker: subprocess.Popen[str], promises: int) -> list[str]:
    """Read so many promises, kill the worker with SIGKILL, and return all that it had promised."""
    assert worker.stdout
    kept: list[str] = []
    for _ in range(promises):
        line = worker.stdout.readline()
        if not line:
            break
        kept.extend(line.split())
    worker.kill()
    rest, _ = worker.communicate(timeout=30)
    whole = rest.rpartition("\n")[0]
    return kept + whole.split()


def kill_writers(project: Path, times: int, seed: int) -> set[str]:
    """Kill a writer so many times, checking the file after each."""
    luck = random.Random(seed)
    promised: set[str] = set()
    for number in range(times):
        worker = start("write_forever", project, str(number))
        promised.update(kill_after(worker, luck.randint(1, 12)))
        assert promised <= stored_ids(project)
    return promised


def test_killed_writers_lose_no_acknowledged_row(project: Path) -> None:
    """What was acknowledged is there; rows, full-text index and change log agree; the store still works."""
    promised = kill_writers(project, times=25, seed=7)
    assert inconsistencies(project) == []
    with Holdfast.open(project) as memory:
        assert len(promised) > 100
        assert memory.add("The store goes on").created
        assert memory.search("store goes on")


@pytest.mark.soak
def test_two_hundred_killed_writers_lose_no_acknowledged_row(project: Path) -> None:
    """The same, for long."""
    kill_writers(project, times=200, seed=11)
    assert inconsistencies(project) == []
