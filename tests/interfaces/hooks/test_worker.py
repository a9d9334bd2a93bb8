"""The worker: started by a hook, alone, soon gone, and nothing is left of it."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.agents import spool
from holdfast.machine.detached import WORKER
from holdfast.storage import worker
from tests.background import processes, wait_for_none, wait_until
from tests.embedded import service_behind
from tests.hooking import HUNG_S, hook, prompt, reply, traces, waiting


def workers(project: Path) -> list[int]:
    """Return the processes that drain this project's spool."""
    return processes(WORKER, project)


def wait_for_no_worker(project: Path) -> None:
    """Wait until nothing drains any more."""
    wait_for_none(WORKER, project)


def wait_for_empty_spool(project: Path) -> None:
    """Wait until all was taken."""
    wait_until(lambda: not waiting(project), "nobody drained the spool")


def turns(project: Path) -> list[str]:
    """Return the texts of all turns."""
    with Holdfast.open(project) as memory:
        service = service_behind(memory)
        return [turn.text for session in service.sessions() for turn in service.turns(session.id)]


def test_the_end_of_a_session_has_its_spool_drained_while_the_client_goes_on(repository: Path) -> None:
    hook("claude", "UserPromptSubmit", prompt(repository, "Use teal."))
    hook("claude", "Stop", reply(repository, "Teal it is."))
    assert hook("claude", "SessionEnd", {"session_id": "s1", "cwd": str(repository)}).silent
    wait_for_empty_spool(repository)
    wait_for_no_worker(repository)
    assert turns(repository) == ["Use teal.", "Teal it is."]
    with Holdfast.open(repository) as memory:
        [session] = service_behind(memory).sessions()
    assert session.status == "completed"
    folder = Path(spool.folder_of(str(repository)))
    assert sorted(path.name for path in folder.iterdir()) == ["draining.lock", "root", "sign.shown", "worker.lock"]
    assert traces() == []


def test_the_worker_is_in_a_session_of_its_own_and_holds_none_of_the_hooks_streams(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a client that waits for its hook's output would wait for the worker."""
    folder = spool.prepare(str(repository))
    held = spool.hold(folder, spool.DRAINING)  # so that the worker waits, and can be looked at
    assert held is not None
    hook("claude", "SessionEnd", {"session_id": "s1", "cwd": str(repository)})  # which ends while the worker waits
    wait_until(lambda: workers(repository), "no worker came")
    [process] = workers(repository)
    wait_until(lambda: os.readlink(f"/proc/{process}/cwd") == "/", "it stays where it was started")
    assert os.getsid(process) != os.getsid(0)
    streams = {os.readlink(f"/proc/{process}/fd/{number}") for number in range(3)}
    assert streams == {os.devnull}
    os.close(held)
    wait_for_no_worker(repository)


def test_of_many_workers_one_works_and_the_others_go(repository: Path) -> None:
    folder = spool.prepare(str(repository))
    held = spool.hold(folder, spool.DRAINING)
    assert held is not None
    command = [sys.executable, "-P", "-m", WORKER, str(repository)]
    started = [subprocess.Popen(command) for _ in range(4)]
    wait_until(lambda: sum(one.poll() is None for one in started) == 1, "several wait")
    os.close(held)
    assert [one.wait(HUNG_S) for one in started] == [0] * 4


def test_a_worker_that_takes_too_long_ends_by_itself(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = spool.prepare(str(repository))
    held = spool.hold(folder, spool.DRAINING)
    assert held is not None
    program = "from holdfast.storage import worker; worker.DRAIN_SECONDS = 0.5; worker.main()"
    monkeypatch.setenv("HOLDFAST_HOOK_PACE", "1")
    done = subprocess.run([sys.executable, "-P", "-c", program, str(repository)], timeout=HUNG_S)
    assert done.returncode == 0  # while what it waits for is still held
    os.close(held)


def test_a_spool_that_cannot_be_drained_stays_and_the_log_says_why(repository: Path) -> None:
    hook("claude", "UserPromptSubmit", prompt(repository, "Use teal."))
    (repository / ".holdfast").mkdir()
    (repository / ".holdfast" / "memory.db").write_bytes(b"no database")
    done = subprocess.run([sys.executable, "-P", "-m", WORKER, str(repository)], timeout=HUNG_S)
    assert done.returncode == 0
    assert [problem.startswith("NotAStore") or "memory.db" in problem for problem in traces()] == [True]
    assert [entry["text"] for entry in spool.waiting_entries(str(repository))] == ["Use teal."]


def test_the_next_session_drains_what_a_crashed_one_left(repository: Path) -> None:
    hook("claude", "UserPromptSubmit", prompt(repository, "Use teal.", session="crashed"))
    folder = Path(spool.folder_of(str(repository)))
    [left] = folder.glob("*.open")
    os.utime(left, (time.time() - 3_600,) * 2)
    hook("codex", "SessionStart", {"session_id": "new", "cwd": str(repository), "source": "startup"})
    wait_for_empty_spool(repository)
    wait_for_no_worker(repository)
    assert turns(repository) == ["Use teal."]


def test_old_marks_and_settings_are_swept_and_what_waits_is_not(repository: Path) -> None:
    folder = Path(spool.prepare(str(repository)))
    spool.append(str(folder), "claude-1", {"n": 1})
    for name in ("claude-1.prompted", "codex-2.depth"):
        (folder / name).touch()
    for path in folder.iterdir():
        os.utime(path, (time.time() - 30 * 86_400,) * 2)
    (folder / "claude-3.prompted").touch()
    worker.sweep(str(folder))
    assert sorted(path.name for path in folder.iterdir()) == ["claude-1.open", "claude-3.prompted", "root"]


def test_a_worker_without_a_spool_has_nothing_to_do(project: Path) -> None:
    worker.work(str(project))
    assert traces() == []
