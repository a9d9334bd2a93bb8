"""Hooks when something breaks: success, valid output or none, in time, and a trace in the log."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.agents import spool
from holdfast.machine import paths
from tests.faults.disks import as_root, fill, make_read_only, small_disk
from tests.hooking import Done, hook, prompt, traces, waiting

QUESTION = "Which palette do we use in the shop?"

PACE = "100"
"""Locks are waited for two seconds, and the whole may take minutes: the lock is what ends the wait."""

LOCKING = """
import apsw, sys
connection = apsw.Connection(sys.argv[1])
for step in sys.argv[2:]:
    list(connection.execute(step))
print("locked", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def repository(project: Path) -> Path:
    """A project with git and a store."""
    subprocess.run(["git", "init", "-q", project], check=True)
    with Holdfast.open(project) as memory:
        memory.add("The palette of the shop is teal", trust="user")
    return project


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a trace goes when the user's data directory takes none."""
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    return tmp_path / "tmp" / f"holdfast-{os.getuid()}" / "failures.log"


def start(project: Path) -> dict[str, object]:
    """Return Claude Code's payload for the start of a session."""
    return {"session_id": "s1", "cwd": str(project), "source": "startup"}


def well(done: Done) -> bool:
    """Say whether a hook ended well: with success, and what it printed can be used.

    That it waits for nobody needs no clock: what it could wait for is held until it has ended.
    """
    valid = not done.out or bool(json.loads(done.out).keys() & {"hookSpecificOutput", "systemMessage"})
    return done.code == 0 and valid and not done.err


@contextlib.contextmanager
def held(project: Path, *steps: str) -> Iterator[None]:
    """Let another process take hold of a project's store, for as long as this lasts."""
    command = [sys.executable, "-c", LOCKING, str(project / ".holdfast" / "memory.db"), *steps]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "locked\n"
        try:
            yield
        finally:
            process.kill()


def test_a_store_that_is_locked_for_long_keeps_nobody_waiting(repository: Path) -> None:
    """What waits in the spool is told all the same."""
    rule = "Decision: the palette of the shop is checked by the designers."
    with held(repository, "PRAGMA locking_mode = EXCLUSIVE", "BEGIN EXCLUSIVE"):
        told = prompt(repository, rule, session="s0")
        assert well(hook("claude", "UserPromptSubmit", told, HOLDFAST_HOOK_PACE=PACE))
        begun = hook("claude", "SessionStart", start(repository), HOLDFAST_HOOK_PACE=PACE)
        asked = hook("claude", "UserPromptSubmit", prompt(repository, QUESTION), HOLDFAST_HOOK_PACE=PACE)
    assert well(begun)
    assert "checked by the designers" in begun.out
    assert well(asked)
    assert "teal" not in asked.out
    assert [entry["text"] for entry in waiting(repository) if "text" in entry] == [rule, QUESTION]
    assert ["locked" in problem for problem in traces()] == [True] * 3


def test_somebody_who_writes_for_long_keeps_nobody_from_reading(repository: Path) -> None:
    with held(repository, "BEGIN IMMEDIATE"):
        done = hook("claude", "UserPromptSubmit", prompt(repository, QUESTION))
    assert well(done)
    assert "teal" in done.out
    assert traces() == []


def test_a_store_that_is_damaged_keeps_nothing_from_being_recorded(repository: Path) -> None:
    database = repository / ".holdfast" / "memory.db"
    raw = database.read_bytes()
    database.write_bytes(raw[:4096] + b"\xff" * (len(raw) - 4096))
    assert well(hook("claude", "SessionStart", start(repository)))
    assert well(hook("claude", "UserPromptSubmit", prompt(repository, "Which palette?")))
    assert [entry["text"] for entry in waiting(repository) if "text" in entry] == ["Which palette?"]
    assert traces() != []


def test_a_store_that_somebody_else_made_is_not_opened(repository: Path) -> None:
    """A cloned repository may ship one."""
    for entry in (Path(paths.data_directory()) / "stores").iterdir():
        entry.unlink()
    done = hook("claude", "SessionStart", start(repository))
    assert well(done)
    assert "teal" not in done.out


@as_root
def test_a_full_disk_costs_a_turn_and_nothing_else(repository: Path, tmp_path: Path, log: Path) -> None:
    with small_disk(tmp_path / "small") as disk:
        shutil.copytree(paths.data_directory(), disk / "data")
        fill(disk)
        done = hook(
            "claude",
            "UserPromptSubmit",
            prompt(repository, "Use teal. " * 500),
            HOLDFAST_DATA_HOME=str(disk / "data"),
        )
        assert well(done)
        assert "No space left on device" in log.read_text()
        assert [path for path in (disk / "data").rglob("*.open") if path.stat().st_size] == []


@as_root
def test_a_read_only_disk_costs_a_turn_and_nothing_else(repository: Path, tmp_path: Path, log: Path) -> None:
    with small_disk(tmp_path / "small") as disk:
        shutil.copytree(paths.data_directory(), disk / "data")
        make_read_only(disk)
        data = str(disk / "data")
        assert well(hook("claude", "UserPromptSubmit", prompt(repository, "Use teal."), HOLDFAST_DATA_HOME=data))
        assert well(hook("claude", "SessionStart", start(repository), HOLDFAST_DATA_HOME=data))
        assert "Read-only file system" in log.read_text()


@as_root
def test_a_project_that_cannot_be_written_is_remembered_all_the_same(tmp_path: Path) -> None:
    with small_disk(tmp_path / "small") as disk:
        subprocess.run(["git", "init", "-q", disk], check=True)
        make_read_only(disk)
        assert well(hook("claude", "UserPromptSubmit", prompt(disk, "Use teal.")))
        assert [entry["text"] for entry in waiting(disk)] == ["Use teal."]


@pytest.mark.parametrize("home", ["/proc/nowhere", "relative/home"])
def test_without_a_home_there_is_no_memory_and_a_trace(
    repository: Path, home: str, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HOLDFAST_DATA_HOME", "HOLDFAST_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    before = sorted(path.name for path in repository.iterdir())
    assert well(hook("claude", "UserPromptSubmit", prompt(repository, "Use teal."), cwd=repository, HOME=home))
    assert sorted(path.name for path in repository.iterdir()) == before
    assert log.read_text().count("problem") == 1


def test_a_tool_result_of_100_megabytes_is_read_to_its_end_and_cut(repository: Path) -> None:
    word = b"lorem ipsum dolor sit amet "
    size = 100 << 20
    head = json.dumps(start(repository) | {"tool_name": "Bash", "tool_input": {"command": "cat log"}})[
        :-1
    ].encode()
    raw = head + b', "tool_response": "' + word * (size // len(word)) + b'"}'
    done = hook("claude", "PostToolUse", raw)
    assert (done.code, done.out, done.err) == (0, "", "")
    [entry] = waiting(repository)
    text = entry["text"]
    assert isinstance(text, str)
    assert text.startswith("$ cat log\nlorem ipsum")
    assert len(text.encode()) <= 65_536
    assert text.endswith("[cut]")
    assert traces() == []


def test_a_secret_across_the_cut_of_a_huge_payload_is_not_kept_in_half(repository: Path) -> None:
    from holdfast.interfaces.hooks.entry import MOST_BYTES

    secret = "ghp_" + "x7Kq2mNp9RsT4vWyZ1aBcD3eFgH5iJ6kLmNo"
    head = json.dumps(prompt(repository, ""))[:-1].encode().replace(b'"prompt": "", ', b"") + b', "prompt": "'
    room = MOST_BYTES - len(head) - 20
    raw = head + b"x " * (room // 2) + secret.encode() + b" tail" * 100 + b'"}'
    assert well(hook("claude", "UserPromptSubmit", raw))
    data = Path(paths.data_directory())
    assert [path for path in data.rglob("*") if path.is_file() and secret[:12].encode() in path.read_bytes()] == []


def test_a_spool_whose_lock_is_held_for_long_costs_a_turn_and_a_trace(repository: Path) -> None:
    import fcntl

    assert well(hook("claude", "UserPromptSubmit", prompt(repository, "One.", key="p1")))
    [path] = Path(spool.folder_of(str(repository))).glob("*.open")
    with path.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        late = prompt(repository, "Two.", key="p2")
        assert well(hook("claude", "UserPromptSubmit", late, HOLDFAST_HOOK_PACE="1"))
    assert [entry["text"] for entry in waiting(repository)] == ["One."]
    assert traces() == ["gave up"]


def test_a_client_that_closes_its_end_is_no_error(repository: Path) -> None:
    from tests.hooking import HUNG_S, PROGRAM

    process = subprocess.Popen(
        [PROGRAM, "claude", "SessionStart"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdin
    assert process.stdout
    assert process.stderr
    process.stdout.close()
    process.stdin.write(json.dumps(start(repository)).encode())
    process.stdin.close()
    err = process.stderr.read()
    process.stderr.close()
    assert (process.wait(HUNG_S), err) == (0, b"")
