"""A store that cannot be used costs the brief and nothing else; `status` and `doctor` say so."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from holdfast import Holdfast
from holdfast.machine import paths
from tests.hooking import hook, prompt, traces

HOLDFAST = Path(sys.executable).with_name("holdfast")
PATIENT = "50"
"""A second for a lock, and a minute for the rest: enough on any machine, and nobody waits for long."""


def damage(database: Path) -> None:
    """Overwrite everything but the first page."""
    raw = database.read_bytes()
    database.write_bytes(raw[:4096] + b"\xff" * (len(raw) - 4096))


def disown(database: Path) -> None:
    """Forget that this user made the store."""
    for entry in (Path(paths.data_directory()) / "stores").iterdir():
        entry.unlink()


def make_foreign(database: Path) -> None:
    """Put another program's database in its place."""
    database.unlink()
    apsw.Connection(str(database)).execute("CREATE TABLE notes (text); PRAGMA user_version = 7")


def shown(command: str, project: Path) -> str:
    """Return what a command prints."""
    done = subprocess.run(
        [HOLDFAST, command, "--project", project, "--json"], capture_output=True, text=True, timeout=60
    )
    said = json.loads(done.stdout)
    if command == "status":
        return str(said["last_failure"])
    return next(str(one["message"]) for one in said["diagnoses"] if one["name"] == "failures")


@pytest.mark.parametrize("spoil", [damage, disown, make_foreign])
def test_a_store_that_cannot_be_used_is_an_empty_brief_that_status_and_doctor_tell_of(
    repository: Path, spoil: Callable[[Path], None]
) -> None:
    with Holdfast.open(repository) as memory:
        memory.add("Prices are stored in integer cents", trust="user")
    spoil(repository / ".holdfast" / "memory.db")
    assert hook("claude", "UserPromptSubmit", prompt(repository, "How do we store prices?")).silent
    [problem] = traces()
    assert problem in shown("status", repository)
    assert problem in shown("doctor", repository)


def test_a_store_that_is_locked_is_an_empty_brief_that_status_and_doctor_tell_of(repository: Path) -> None:
    with Holdfast.open(repository) as memory:
        memory.add("Prices are stored in integer cents", trust="user")
    holder = apsw.Connection(str(repository / ".holdfast" / "memory.db"))
    list(holder.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE"))
    asked = prompt(repository, "How do we store prices?")
    assert hook("claude", "UserPromptSubmit", asked, HOLDFAST_HOOK_PACE=PATIENT).silent
    holder.close()
    [problem] = traces()
    assert "StoreBusy" in problem
    assert problem in shown("status", repository)
    assert problem in shown("doctor", repository)


def test_where_nothing_failed_status_and_doctor_tell_of_nothing(repository: Path) -> None:
    with Holdfast.open(repository) as memory:
        memory.add("Prices are stored in integer cents", trust="user")
    assert "integer cents" in hook("claude", "UserPromptSubmit", prompt(repository, "How do we store prices?")).out
    assert shown("status", repository) == "None"
    assert shown("doctor", repository) == "no hook and no brief failed lately"


def test_while_memory_is_switched_off_a_hook_says_and_keeps_nothing(repository: Path) -> None:
    with Holdfast.open(repository) as memory:
        memory.add("Prices are stored in integer cents", trust="user")
    asked = prompt(repository, "How do we store prices?")
    assert hook("claude", "UserPromptSubmit", asked, HOLDFAST_DISABLE="1").silent
    assert traces() == []
