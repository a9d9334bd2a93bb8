"""A home on a file system without locks, as some network mounts are: the spool refuses, a store does without."""

import errno
import fcntl
import os
import subprocess
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.agents import spool
from holdfast.agents.spool import BeingDrained, edit
from holdfast.stores.sqlite import files
from tests.hooking import hook, prompt, traces, waiting

NO_LOCKS = """
import errno, fcntl
def flock(handle, how):
    raise OSError(errno.ENOLCK, "No locks available")
fcntl.flock = flock
"""


def refuse(handle: int, how: int) -> None:
    """Stand in for a flock that a mount has not."""
    raise OSError(errno.ENOLCK, "No locks available")


@pytest.fixture
def folder(project: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A spool in which something waits, and that can be locked no more."""
    folder = spool.prepare(str(project))
    spool.append(folder, "claude-1", {"n": 1})
    monkeypatch.setattr(fcntl, "flock", refuse)
    return folder


def test_nothing_is_appended_where_whoever_drains_could_remove_it_unread(folder: str) -> None:
    with pytest.raises(OSError, match="No locks available"):
        spool.append(folder, "claude-1", {"n": 2})
    assert [entry for _, entry in spool.entries(os.path.join(folder, "claude-1.open"))] == [{"n": 1}]


def test_nobody_drains_nor_forgets_where_two_could_at_once(folder: str, project: Path) -> None:
    assert spool.hold(folder, spool.DRAINING) is None
    assert spool.hold(folder, spool.DRAINING, 600.0) is None  # for which nobody waits
    with pytest.raises(BeingDrained):
        edit(str(project), lambda entry: {}, 0.0)
    with pytest.raises(OSError, match="No locks available"):
        spool.seal(folder)
    assert sorted(name for name in os.listdir(folder) if "claude" in name) == ["claude-1.open"]


def test_a_hook_succeeds_and_leaves_a_trace(project: Path, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", project], check=True)
    Holdfast.open(project).close()
    (tmp_path / "sitecustomize.py").write_text(NO_LOCKS, encoding="utf-8")
    said = prompt(project, "Always use tabs.")
    assert hook("claude", "UserPromptSubmit", said, PYTHONPATH=str(tmp_path)).silent
    assert waiting(project) == []
    assert ["No locks available" in trace for trace in traces()] == [True]


def test_a_store_is_made_and_leftovers_are_swept(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fcntl, "flock", refuse)
    with Holdfast.open(project) as memory:
        memory.add("Deploys happen on Tuesdays")
        assert [hit.title for hit in memory.list()] == ["Deploys happen on Tuesdays"]
    (project / f".memory.db.x{files.FILLING}").touch()
    assert files.sweep(project) == 1
