"""What holdfast writes is for its owner alone, whatever the umask: files, folders, and the folders they lie in."""

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.agents import spool
from holdfast.interfaces.cli.main import run
from holdfast.storage.worker import work
from tests.hooking import hook, prompt, reply


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A new user's home: every folder in it is made here."""
    home = tmp_path / "home"
    home.mkdir()
    for name in ("HOLDFAST_DATA_HOME", "HOLDFAST_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    return home


@pytest.fixture
def _open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def exposed(*places: Path) -> list[str]:
    """Name what anybody but its owner can reach below some places."""
    found = [path for place in places for path in place.rglob("*")]
    assert found
    return [str(path) for path in found if stat.S_IMODE(path.lstat().st_mode) & 0o077]


@pytest.mark.usefixtures("_open_umask")
def test_commands_leave_nothing_that_others_can_reach(home: Path, project: Path) -> None:
    there = ["--project", str(project)]
    for words in (
        ["config", "set", "log.daily", "true"],
        ["config", "set", "brief.ceiling", "900", "--user"],
        ["add", "Jobs go through LISTEN/NOTIFY", "--kind", "decision"],
        ["add", "Prefer small commits", "--user"],
        ["search", "how do jobs travel"],
        ["reindex"],
        ["backup"],
        ["backup", "--user"],
        ["pause", "on"],
        ["pause", "off"],
        ["ingest", "transcripts"],
        ["restore", "--yes"],
        ["token", "create", "--name", "laptop"],
        ["export", "--output", str(project / ".holdfast" / "out.jsonl")],
        ["doctor", "--repair"],
    ):
        assert run([*words, *there]) == 0, words
    assert exposed(home, project / ".holdfast") == []


@pytest.mark.usefixtures("_open_umask")
def test_hooks_and_their_worker_leave_nothing_that_others_can_reach(home: Path, project: Path) -> None:
    """The settings make a hook keep a compiled copy; an unknown event makes it write its log."""
    (home / ".config" / "holdfast").mkdir(parents=True, mode=0o700)
    for folder in (home / ".config", home / ".config" / "holdfast"):
        folder.chmod(0o700)
    settings = home / ".config" / "holdfast" / "config.toml"
    settings.write_text("[brief]\nceiling = 900\n")
    settings.chmod(0o600)
    Holdfast.open(project).close()
    hook("claude", "UserPromptSubmit", prompt(project, "Use teal from now on."))
    hook("claude", "Nothing", prompt(project, "x"))
    folder = Path(spool.folder_of(str(project)))
    assert stat.S_IMODE((folder / "root").stat().st_mode) == 0o600
    assert exposed(home, project / ".holdfast") == []
    hook("claude", "Stop", reply(project, "Teal it is."))
    hook("claude", "SessionEnd", {"session_id": "s1", "cwd": str(project)})
    work(str(project))
    assert exposed(home, project / ".holdfast") == []


@pytest.mark.parametrize("mask", ["000", "002", "022", "077"])
def test_the_first_folder_is_made_private_and_so_are_those_above_it(home: Path, mask: str) -> None:
    code = f"import os; os.umask(0o{mask})\nfrom holdfast.agents import spool; spool.prepare('/nowhere')"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert exposed(home) == []
