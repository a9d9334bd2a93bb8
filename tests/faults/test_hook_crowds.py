"""Many agents and many sessions: every turn is recorded once, and nothing stays behind."""

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.machine import paths
from holdfast.storage.drain import drain_everything
from tests.hooking import hook, prompt, reply, traces
from tests.interfaces.hooks.test_worker import wait_for_no_worker

CLIENTS = ("claude", "codex", "claude", "codex", "claude", "codex", "claude", "codex")


@pytest.fixture
def repository(project: Path) -> Path:
    """A git work tree."""
    subprocess.run(["git", "init", "-q", project], check=True)
    return project


def whole_session(client: str, project: Path, session: str, exchanges: int, told: int = 1) -> None:
    """Run a session through its hooks; told more than once, as when settings and a plugin both see it."""
    where = {"session_id": session, "cwd": str(project)}
    hook(client, "SessionStart", where | {"source": "startup"})
    for number in range(exchanges):
        for _ in range(told):
            text = f"Question {number} of {session}."
            hook(
                client,
                "UserPromptSubmit",
                prompt(project, text, session, f"p{number}") | {"turn_id": f"p{number}"},
            )
        for _ in range(told):
            text = f"Answer {number} of {session}."
            hook(client, "Stop", reply(project, text, session, f"p{number}") | {"turn_id": f"p{number}"})
    for _ in range(told):
        hook(client, "SessionEnd", where | {"reason": "other"})


def turns(project: Path) -> dict[str, list[str]]:
    """Return what was said, by session."""
    wait_for_no_worker(project)
    drain_everything()
    with Holdfast.open(project) as memory:
        service = memory._service
        return {
            str(session.ref): [turn.text for turn in service.turns(session.id)]
            for session in service.sessions(limit=1_000)
        }


def said(session: str, exchanges: int) -> list[str]:
    """Return what a session is made of."""
    return [
        text
        for number in range(exchanges)
        for text in (f"Question {number} of {session}.", f"Answer {number} of {session}.")
    ]


def open_files(project: Path) -> list[str]:
    """Return what any process has open of this user's data or of this project's store."""
    found = []
    for handle in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            target = os.readlink(handle)
        except OSError:
            continue
        if target.startswith((paths.data_directory(), str(project))):
            found.append(target)
    return found


def test_eight_agents_at_once_on_one_project_and_every_turn_is_recorded_once(repository: Path) -> None:
    sessions = [(client, f"{client}{number}") for number, client in enumerate(CLIENTS)]
    with ThreadPoolExecutor(8) as crowd:
        list(crowd.map(lambda one: whole_session(one[0], repository, one[1], 3), sessions))
    found = turns(repository)
    assert found == {f"{client}:{session}": said(session, 3) for client, session in sessions}
    assert [problem for problem in traces() if problem == "gave up"] == []


def test_a_session_that_two_hooks_are_told_of_is_recorded_once(repository: Path) -> None:
    """At once, as clients do it."""
    with ThreadPoolExecutor(2) as both:
        list(both.map(lambda _: whole_session("claude", repository, "twice", 3), range(2)))
    [(ref, texts)] = turns(repository).items()
    assert (ref, sorted(texts)) == ("claude:twice", sorted(said("twice", 3)))


def in_a_row(repository: Path, count: int) -> None:
    """Run sessions one after the other, and look for what they left."""
    for number in range(count):
        whole_session("claude", repository, f"s{number}", 1)
    wait_for_no_worker(repository)
    assert open_files(repository) == []
    assert turns(repository) == {f"claude:s{number}": said(f"s{number}", 1) for number in range(count)}
    spooled = Path(paths.data_directory()) / "spool"
    left = sorted(path.name for path in spooled.rglob("*") if path.is_file())
    assert left == ["draining.lock", "root", "sign.shown", "worker.lock"]


def test_ten_sessions_in_a_row_leave_no_process_and_no_open_file(repository: Path) -> None:
    in_a_row(repository, 10)


@pytest.mark.soak
def test_two_hundred_sessions_in_a_row_leave_no_process_and_no_open_file(repository: Path) -> None:
    in_a_row(repository, 200)
