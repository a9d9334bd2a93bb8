"""Removing what is remembered takes this project's and the user's own, and nothing that is another project's."""

import json
import os
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.agents import spool
from holdfast.interfaces.cli.main import run
from holdfast.machine import environment, paths
from holdfast.settings.load import vouch_for_config
from holdfast.storage.workspace import open_guard
from tests.hooking import hook, prompt


def back_up(root: Path, *, user: bool = False) -> Path:
    """Make a backup; return where it is."""
    return Path(open_guard(root, actor="cli", user=user).back_up().path)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return Path(paths.data_directory())


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """Another project, with a backup."""
    other = tmp_path / "other"
    other.mkdir()
    with Holdfast.open(other) as memory:
        memory.add("The other palette is green")
    return other


def purge(project: Path, *words: str) -> int:
    return run(["--project", str(project), "uninstall", "claude", "--purge", "--yes", *words])


def test_backups_of_another_project_stay_and_can_be_restored(
    data: Path, project: Path, other: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    theirs = back_up(other)
    with Holdfast.open(project) as memory:
        memory.add("The palette is teal")
        memory.add("I like teal", scope="user")
    ours, own = back_up(project), back_up(project, user=True)
    assert purge(project) == 0
    assert (ours.exists(), own.exists(), theirs.exists()) == (False, False, True)
    assert not (project / ".holdfast").exists()
    assert not (data / "memory.db").exists()
    said = capsys.readouterr().out
    assert f"{theirs.parent} stays: 1 backup of {other / '.holdfast' / 'memory.db'}" in said
    assert f"{other / '.holdfast' / 'memory.db'} stays: memory of another project\n" in said
    with Holdfast.open(other) as memory:
        assert [one.content for one in memory.list(9)] == ["The other palette is green"]
    for file in (other / ".holdfast").iterdir():
        file.unlink()
    assert run(["--project", str(other), "restore", "--yes"]) == 0
    with Holdfast.open(other) as memory:
        assert [one.content for one in memory.list(9)] == ["The other palette is green"]


def test_a_backup_of_a_project_that_is_gone_is_its_last_copy_and_stays(
    data: Path, project: Path, other: Path, tmp_path: Path
) -> None:
    theirs = back_up(other)
    Holdfast.open(project).close()
    other.rename(tmp_path / "moved")
    assert purge(project) == 0
    assert theirs.exists()
    assert len(list((data / "stores").iterdir())) == 1


def test_what_else_is_kept_for_another_project_stays(
    data: Path, project: Path, other: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pause that was lost would switch memory on again; what was said and not taken in would be lost."""
    monkeypatch.setattr("holdfast.interfaces.cli.commands.install.drain_everything", lambda _: None)
    for root in (project, other):
        Holdfast.open(root).close()
        (root / ".holdfast" / "config.toml").write_text("[brief]\nceiling = 900\n")
        vouch_for_config(root / ".holdfast" / "config.toml")
        folder = spool.prepare(str(root))
        spool.append(folder, "claude-x", {"at": 1, "role": "user", "text": "Use teal."})
        environment.pause(str(root))
    environment.pause(None)
    monkeypatch.setenv("HOLDFAST_DISABLED", "0")
    assert purge(project) == 0
    assert spool.roots() == [str(other)]
    assert environment.off_because(str(other)) is not None
    assert environment.off_because(str(project)) is None
    assert [json.loads(file.read_text())["path"] for file in (data / "vouched").iterdir()] == [
        str(other / ".holdfast" / "config.toml")
    ]


def test_with_all_projects_the_whole_data_directory_goes(
    data: Path, project: Path, other: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    back_up(other)
    Holdfast.open(project).close()
    assert purge(project, "--all-projects") == 0
    assert not data.exists()
    assert (other / ".holdfast" / "memory.db").exists()
    assert "`holdfast trust --own` there opens it again" in capsys.readouterr().out
    assert run(["--project", str(other), "trust", "--own"]) == 0


def test_a_dry_run_says_the_same_and_removes_nothing(
    data: Path, project: Path, other: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Holdfast.open(project).close()
    theirs, ours = back_up(other), back_up(project)
    assert purge(project, "--dry-run", "--json") == 0
    out, err = capsys.readouterr()
    assert isinstance(json.loads(out), list)
    assert f"{ours.parent} would be removed" in err
    assert f"{theirs.parent} stays" in err
    assert ours.exists()


def test_settings_and_a_store_elsewhere_are_said_to_stay(
    data: Path, project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere = tmp_path / "elsewhere" / "memory.db"
    assert run(["--project", str(project), "config", "set", "store.path", str(elsewhere)]) == 0
    assert run(["--project", str(project), "config", "set", "brief.ceiling", "900", "--user"]) == 0
    Holdfast.open(project).close()
    assert purge(project) == 0
    said = capsys.readouterr().out
    assert f"{elsewhere} stays: this project's memory" in said
    assert f"{paths.config_directory()} stays: your settings" in said


@pytest.mark.parametrize("words", [(), ("--all-projects",)])
def test_settings_that_stand_among_the_data_stay(
    words: tuple[str, ...], data: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As they do on macOS, which has one folder for both."""
    monkeypatch.setenv("HOLDFAST_CONFIG_HOME", str(data))
    assert run(["--project", str(project), "config", "set", "brief.ceiling", "900", "--user"]) == 0
    Holdfast.open(project).close()
    assert purge(project, *words) == 0
    assert [path.name for path in data.iterdir()] == ["config.toml"]


def test_a_data_directory_that_is_a_link_is_not_followed(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "real")
    monkeypatch.setenv("HOLDFAST_DATA_HOME", str(link))
    Holdfast.open(project).close()
    assert purge(project) == 0
    assert os.listdir(tmp_path / "real")
    assert f"{link} stays" in capsys.readouterr().out


def test_all_projects_alone_is_a_mistake(data: Path, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--project", str(project), "uninstall", "claude", "--all-projects"]) == 2
    assert "--all-projects: goes with --purge only." in capsys.readouterr().err


def test_what_hooks_recorded_meanwhile_is_taken_in_before(data: Path, project: Path, other: Path) -> None:
    Holdfast.open(project).close()
    hook("claude", "UserPromptSubmit", prompt(other, "Use teal."))
    assert purge(project) == 0
    with Holdfast.open(other) as memory:
        assert len(memory.sessions()) == 1
