"""A process killed while it reads a session: nothing acknowledged is lost, nothing is found twice."""

import random
import time
from pathlib import Path

import pytest

from holdfast import Holdfast
from tests.faults.processes import finish, inconsistencies, start
from tests.faults.worker import long_chat

Found = list[tuple[object, ...]]


def undisturbed(project: Path) -> tuple[Found, list[str]]:
    """Hold the session in one go; return what is found and what is remembered."""
    project.mkdir()
    finish(start("hold_session", project))
    return outcome(project)


def outcome(project: Path) -> tuple[Found, list[str]]:
    """Return the findings of the session, told by the refs of their turns, and the memories made of them."""
    with Holdfast.open(project) as memory:
        session = memory.start_session(ref="run")
        refs = {turn.id: turn.ref for turn in session.turns()}
        found: Found = [
            (
                one.kind,
                one.content,
                one.signals,
                one.importance,
                one.files,
                one.memory is not None,
                [(refs[place.turn], place.start, place.end) for place in one.evidence],
            )
            for one in session.findings()
        ]
        assert len(refs) == len(long_chat())
        return found, sorted(f"{one.kind} {one.importance} {one.content}" for one in memory.list(1_000))


def disturbed(project: Path, times: int, seed: int) -> tuple[Found, list[str]]:
    """Hold the same session in a process that is killed so many times, then let it end."""
    project.mkdir()
    luck = random.Random(seed)
    for _ in range(times):
        worker = start("hold_session", project)
        assert worker.stdout
        for _ in range(luck.randint(1, len(long_chat()))):
            if not worker.stdout.readline():
                break
        time.sleep(luck.uniform(0, 0.03))  # somewhere in what follows that promise
        worker.kill()
        worker.communicate(timeout=30)
    assert finish(start("hold_session", project))[-1] == "ended"
    return outcome(project)


def test_a_session_read_by_killed_processes_gives_the_same_findings(tmp_path: Path) -> None:
    found, remembered = undisturbed(tmp_path / "calm")
    assert len(found) > 20
    assert len(remembered) > 8
    assert disturbed(tmp_path / "rough", times=5, seed=5) == (found, remembered)
    assert inconsistencies(tmp_path / "rough") == []


@pytest.mark.soak
def test_fifty_kills_during_extraction_give_the_same_findings(tmp_path: Path) -> None:
    """The same, for long."""
    calm = undisturbed(tmp_path / "calm")
    for seed in range(5):
        rough = tmp_path / f"rough-{seed}"
        assert disturbed(rough, times=10, seed=seed) == calm
        assert inconsistencies(rough) == []
