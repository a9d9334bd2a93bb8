"""What a command leaves without vectors gets them soon, from a process in the background that nobody waits for."""

import json
import os
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.agents import spool
from holdfast.machine import detached
from holdfast.machine.detached import WORKER
from holdfast.model.requests import Draft, Message
from holdfast.service import upkeep
from holdfast.service.upkeep import VectorBacklog
from holdfast.storage import worker
from holdfast.storage.open import open_service
from tests.background import processes, wait_for_none, wait_until
from tests.embedded import service_behind
from tests.hooking import hook, prompt

LEAST_PRIORITY = 19


@pytest.fixture(autouse=True)
def background(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let processes run in the background, as users have it."""
    monkeypatch.setenv("HOLDFAST_EMBEDDING_BACKGROUND", "true")


def run(project: Path, *arguments: str) -> str:
    """Run a command as a user does."""
    command = [str(Path(sys.executable).with_name("holdfast")), *arguments]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, check=True).stdout


def add(project: Path, text: str, *options: str) -> str:
    """Remember a text by the command; return its id."""
    return str(json.loads(run(project, "add", text, "--json", *options))["id"])


def workers(project: Path) -> list[int]:
    """Return the processes that make this project's vectors."""
    return processes(WORKER, project)


def wait_for_no_worker(project: Path) -> None:
    """Wait until nothing is at work."""
    wait_for_none(WORKER, project)


def waiting(project: Path) -> int:
    """Count what waits for a vector, in the project and in the user's own store."""
    service = open_service(project, actor="test", create=False, upkeep=False)
    try:
        return service.stats().project.schema and service.waiting()
    finally:
        service.close()


def locked(project: Path) -> bool:
    """Say whether a worker ever took its turn here."""
    return (Path(spool.folder_of(str(project))) / worker.LOCK).exists()


def test_what_add_writes_is_embedded_soon(project: Path) -> None:
    add(project, "We use bun to install packages")
    wait_for_no_worker(project)
    assert (waiting(project), locked(project)) == (0, True)


def test_what_is_written_for_the_user_is_embedded_soon(project: Path) -> None:
    add(project, "I prefer small commits", "--user")
    wait_for_no_worker(project)
    assert (waiting(project), locked(project)) == (0, True)


def test_what_other_commands_write_is_embedded_soon(project: Path) -> None:
    """Whichever it is: what waits after a command is what counts."""
    first = add(project, "The queue is Redis")
    second = add(project, "Jobs are kept in Postgres")
    wait_for_no_worker(project)
    for arguments in (("update", first, "--content", "The queue is Redis 7"), ("supersede", first, second)):
        run(project, *arguments)
    (project / "NOTES.md").write_text("# Builds\n\nThe release is built with make dist.\n")
    run(project, "ingest", "files")
    run(project, "export", "--output", "all.jsonl")
    run(project, "import", "all.jsonl")
    wait_for_no_worker(project)
    assert waiting(project) == 0


def test_what_was_said_in_a_session_is_embedded_soon_after_it_was_drained(project: Path) -> None:
    """What is too long to be embedded at the end itself, say."""
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    hook("claude", "UserPromptSubmit", prompt(project, "Use teal for links. " * 500))
    hook("claude", "SessionEnd", {"session_id": "s1", "cwd": str(project)})
    wait_until(lambda: locked(project), "no worker came")
    wait_for_no_worker(project)
    assert waiting(project) == 0


@pytest.mark.parametrize(
    ("name", "value"),
    [("EMBEDDING_MODEL", "none"), ("EMBEDDING_MODEL", "remote"), ("EMBEDDING_BACKGROUND", "false")],
)
def test_nothing_is_started_where_no_vectors_are_to_be_made(
    project: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    """A server is asked by who asks for it, never on the quiet."""
    monkeypatch.setenv(f"HOLDFAST_{name}", value)
    monkeypatch.setenv("HOLDFAST_EMBEDDING_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("HOLDFAST_EMBEDDING_REMOTE_MODEL", "m")
    monkeypatch.setenv("HOLDFAST_EMBEDDING_DIMENSIONS", "8")
    add(project, "We use bun")
    assert (workers(project), locked(project)) == ([], False)


def test_a_pause_holds_for_a_worker_that_was_started_before(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("HOLDFAST_EMBEDDING_BACKGROUND", "false")
        add(project, "We use bun")
    run(project, "pause")
    worker.work(str(project))
    run(project, "pause", "off")
    assert waiting(project) == 1


def test_who_finds_another_at_work_goes(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("HOLDFAST_EMBEDDING_BACKGROUND", "false")
        add(project, "We use bun")
    turn = spool.hold(spool.prepare(str(project)), worker.LOCK)
    assert turn is not None
    worker.work(str(project))
    os.close(turn)
    assert waiting(project) == 1
    worker.work(str(project))
    assert waiting(project) == 0


def test_what_is_written_while_another_is_at_work_is_seen_to_by_that_one(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("HOLDFAST_EMBEDDING_BACKGROUND", "false")
        add(project, "We use bun")
    work_off = VectorBacklog.work_off

    def late(*arguments: object) -> int:
        monkeypatch.setattr(VectorBacklog, "work_off", work_off)
        made = work_off(*arguments)  # type: ignore[arg-type]  # passed on as they came
        add(project, "Prices are integer cents")  # whose worker finds this one at work
        wait_for_no_worker(project)
        return made

    monkeypatch.setattr(VectorBacklog, "work_off", late)
    worker.work(str(project))
    assert waiting(project) == 0


def test_a_worker_has_a_session_of_its_own_low_priority_and_none_of_the_commands_streams(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("HOLDFAST_EMBEDDING_BACKGROUND", "false")
        add(project, "We use bun")
    with Holdfast.open(project) as memory, service_behind(memory)._scopes.project.writing():
        upkeep.leave_to_worker(str(project), {"project": 1})
        wait_until(lambda: workers(project), "no worker came")  # for a moment a new process has no name
        [process] = workers(project)
        modest = min(LEAST_PRIORITY, os.getpriority(os.PRIO_PROCESS, 0) + worker._NICE)
        wait_until(lambda: os.getpriority(os.PRIO_PROCESS, process) == modest, "it is as important as everybody")
        assert os.getsid(process) != os.getsid(0)
        assert {os.readlink(f"/proc/{process}/fd/{number}") for number in range(3)} == {os.devnull}
        assert os.readlink(f"/proc/{process}/cwd") == "/"
    wait_for_no_worker(project)


def test_rows_that_cannot_be_embedded_are_left_alone_for_a_while_unless_more_come(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise every command would start a process that loads a model for nothing."""
    started: list[tuple[str, ...]] = []
    monkeypatch.setattr(detached, "start", lambda *words: started.append(words))
    monkeypatch.setenv("HOLDFAST_EMBEDDING_MODEL", "fastembed")
    monkeypatch.setenv("HOLDFAST_EMBEDDING_REMOTE_MODEL", "m")
    monkeypatch.setenv("HOLDFAST_EMBEDDING_DIMENSIONS", "8")
    with Holdfast.open(project) as memory:
        memory.add("We use bun")
    worker.work(str(project))
    upkeep.leave_to_worker(str(project), {"project": 1})
    assert started == []
    upkeep.leave_to_worker(str(project), {"project": 2})
    assert started == [(WORKER, str(project))]


def test_rows_of_the_users_own_store_that_cannot_be_embedded_hold_up_no_project(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[tuple[str, ...]] = []
    monkeypatch.setattr(detached, "start", lambda *words: started.append(words))
    with monkeypatch.context() as patch:
        patch.setenv("HOLDFAST_EMBEDDING_MODEL", "fastembed")
        patch.setenv("HOLDFAST_EMBEDDING_REMOTE_MODEL", "m")
        patch.setenv("HOLDFAST_EMBEDDING_DIMENSIONS", "8")
        with Holdfast.open(project) as memory:
            for text in ("I prefer small commits", "I like tabs", "I read every diff"):
                memory.add(text, scope="user")
        worker.work(str(project))
        started.clear()
        with closing(open_service(project, actor="test", embed_on_add=False)) as service:
            service.record(service.start_session("codex").id, Message(role="user", text="We use bun"))
            service.vector_backlog.leave()
    assert started == [(WORKER, str(project))]


def test_after_vectors_were_made_nothing_counts_as_hopeless(project: Path) -> None:
    folder = spool.prepare(str(project))
    upkeep.note_hopeless(folder, {"project": 0})
    with closing(open_service(project, actor="test", embed_on_add=False)) as service:
        service.add(Draft(content="We use bun"))
    worker.work(str(project))
    assert waiting(project) == 0
    assert not (Path(folder) / "embedding.left").exists()


def test_a_failure_is_shown_by_status(project: Path) -> None:
    (project / ".holdfast").mkdir()
    (project / ".holdfast" / "memory.db").write_bytes(b"not a database at all " * 100)
    command = [sys.executable, "-m", WORKER, str(project)]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    assert " embed: " in run(project, "status")


def test_a_worker_ends_in_time_whatever_waits(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("HOLDFAST_EMBEDDING_BACKGROUND", "false")
        add(project, "We use bun")
    worker.embed(str(project), time.monotonic() - 1)
    assert waiting(project) == 1
