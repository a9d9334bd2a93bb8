"""`holdfast install` and `uninstall` on the command line."""

import json
import subprocess
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.agents import spool
from holdfast.interfaces.cli.main import run
from holdfast.machine import paths
from tests.agents.test_install import MOVING
from tests.embedded import service_behind
from tests.hooking import hook, prompt
from tests.interfaces.cli.shell import at_terminal


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own."""
    place = tmp_path / "home"
    place.mkdir()
    monkeypatch.setenv("HOME", str(place))
    for name in MOVING:
        monkeypatch.delenv(name, raising=False)
    return place


def names(folder: Path) -> set[str]:
    """Return the files below a folder."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_a_dry_run_shows_the_change_and_makes_none(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["install", "claude", "--dry-run"]) == 0
    out = capsys.readouterr().out
    assert "settings.json would create" in out
    assert out.startswith("Claude Code: ")
    assert '+  "hooks": {' in out
    assert names(home) == set()


def test_installing_says_what_is_left_to_do(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["install", "codex"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines() == ["Codex: 10 files created (~/.codex)"]
    assert "/hooks" in err
    assert "approved" in err
    assert {".codex/hooks.json", ".codex/config.toml"} <= names(home)


def test_all_installs_into_every_agent_and_takes_it_out_again(home: Path) -> None:
    assert run(["install", "all"]) == 0
    folders = {name.split("/")[0] for name in names(home)}
    hooked = {".claude", ".claude.json", ".codex", ".gemini", ".config", ".copilot", ".cursor"}
    assert folders == hooked | {".codeium", ".cline", ".roo"}
    assert run(["uninstall", "all"]) == 0
    assert list(home.iterdir()) == []


def test_without_a_name_the_agents_that_are_there_are_found_and_connected(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / ".codex").mkdir()
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "gemini").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(programs))
    assert run(["install", "--yes"]) == 0
    out, err = capsys.readouterr()
    assert [line.split(":")[0] for line in out.splitlines()] == ["Codex", "Gemini CLI"]
    assert "not Claude Code, OpenCode, Copilot CLI, Cursor" in err
    assert {name.split("/")[0] for name in names(home)} == {".codex", ".gemini"}
    assert run(["uninstall"]) == 0
    assert [line.split(":")[0] for line in capsys.readouterr().out.splitlines()] == ["Codex", "Gemini CLI"]
    assert names(home) == set()


def test_where_nobody_can_be_asked_agents_that_were_only_found_are_left_alone(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "")
    assert run(["install"]) == 2
    assert "no agent was found" in capsys.readouterr().err
    (home / ".claude").mkdir()
    assert run(["install"]) == 2
    assert "--yes" in capsys.readouterr().err
    assert names(home) == set()


def test_the_project_is_the_one_named_before_the_command(
    home: Path, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["--project", str(project), "install", "claude", "--project"]) == 0
    assert ".claude/settings.json" in names(project)
    assert ".mcp.json" in names(project)
    assert names(home) == set()
    assert ".mcp.json" in capsys.readouterr().err


def test_programs_get_json(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["install", "cursor", "--json"]) == 0
    [cursor] = json.loads(capsys.readouterr().out)
    assert cursor["agent"] == "Cursor"
    assert [file["change"] for file in cursor["files"]] == ["create", "create"]
    assert "hooks.json" in cursor["files"][0]["diff"]


def test_a_file_that_cannot_be_changed_is_named_and_nothing_is_installed(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / ".gemini").mkdir()
    (home / ".gemini" / "settings.json").write_text("[1, 2")
    assert run(["install", "claude", "gemini"]) == 11
    assert "settings.json cannot be changed" in capsys.readouterr().err
    assert names(home) == {".gemini/settings.json"}


def test_an_agent_whose_file_cannot_be_changed_holds_up_no_other(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "")
    (home / ".claude").mkdir()
    (home / ".gemini").mkdir()
    broken = home / ".gemini" / "settings.json"
    broken.write_text('{"holdfast": ')
    assert run(["install", "--yes"]) == 11
    out, err = capsys.readouterr()
    assert out.startswith("Claude Code: ")
    assert "Gemini CLI is left out: " in err
    assert err.count("cannot be changed") == 1
    assert run(["uninstall"]) == 11
    assert names(home) == {".gemini/settings.json"}
    assert broken.read_text() == '{"holdfast": '


def test_a_file_that_never_held_anything_of_ours_need_not_be_readable_to_uninstall(home: Path) -> None:
    (home / ".gemini").mkdir()
    (home / ".gemini" / "settings.json").write_text("[1, 2")
    assert run(["install", "claude"]) == 0
    assert run(["uninstall"]) == 0
    assert names(home) == {".gemini/settings.json"}


def test_saying_no_connects_nobody(home: Path) -> None:
    (home / ".claude").mkdir()
    code, screen = at_terminal("install", keys="n\n")
    assert code == 0
    assert "Nothing was changed." in screen
    assert "interrupted" not in screen
    assert names(home) == set()


def test_an_entry_of_the_user_that_is_replaced_is_named(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / ".claude.json").write_text('{"mcpServers": {"holdfast": {"command": "mine"}}}')
    assert run(["install", "claude"]) == 0
    assert "your own entry `holdfast` is kept" in capsys.readouterr().err
    assert run(["install", "codex"]) == 0
    assert "your own entry" not in capsys.readouterr().err


def test_uninstalling_takes_in_what_was_said_and_not_stored_yet(home: Path, project: Path) -> None:
    subprocess.run(["git", "init", "-q", project], check=True)
    hook("claude", "UserPromptSubmit", prompt(project, "Use teal."))
    assert len(spool.waiting_entries(str(project))) == 1
    assert run(["uninstall", "claude"]) == 0
    assert spool.waiting_entries(str(project)) == []
    with Holdfast.open(project) as memory:
        [session] = service_behind(memory).sessions()
        assert [turn.text for turn in memory._service.turns(session.id)] == ["Use teal."]


def test_purging_asks_first_and_then_leaves_nothing(
    home: Path, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Holdfast.open(project) as memory:
        memory.add("The palette is teal")
    arguments = ["--project", str(project), "uninstall", "all", "--purge"]
    assert run([*arguments, "--dry-run"]) == 0
    assert (project / ".holdfast").exists()
    assert run(arguments) != 0, "nobody is there to say yes"
    assert (project / ".holdfast").exists()
    assert run([*arguments, "--yes"]) == 0
    assert not (project / ".holdfast").exists()
    assert not Path(paths.data_directory()).exists()
    assert "removed for good" in capsys.readouterr().out


def test_saying_no_to_a_purge_leaves_everything_as_it_is(home: Path, project: Path) -> None:
    (home / ".claude").mkdir()
    assert run(["install", "--yes"]) == 0
    with Holdfast.open(project) as memory:
        memory.add("The palette is teal")
    connected = names(home)
    code, screen = at_terminal("--project", str(project), "uninstall", "--purge", keys="n\n")
    assert code == 0
    assert "Claude Code: 7 files to remove" in screen
    assert "to be removed for good" in screen
    assert f"{Path(paths.data_directory())} " in screen, "how files were goes with them"
    assert "is removed" not in screen
    assert names(home) == connected
    assert (project / ".holdfast" / "memory.db").exists()


def test_a_purge_that_nobody_can_be_asked_about_touches_nothing(
    home: Path, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["install", "claude"]) == 0
    connected = names(home)
    assert run(["--project", str(project), "uninstall", "--purge"]) == 2
    assert "--yes" in capsys.readouterr().err
    assert names(home) == connected


def test_a_project_that_is_not_there_is_named(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nowhere = tmp_path / "nowhere"
    assert run(["install", "claude", "--project", str(nowhere)]) == 2
    assert "--project" in capsys.readouterr().err
    assert not nowhere.exists()


def test_status_names_who_is_connected(
    home: Path, project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    assert run(["status"]) == 0
    assert "none connected" in capsys.readouterr().out
    assert run(["install", "codex", "zed"]) == 0
    assert run(["install", "roo", "--project"]) == 0
    capsys.readouterr()
    assert run(["status", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["agents"] == ["Codex", "Zed", "Roo Code (this project)"]
    (home / "elsewhere").mkdir()
    assert run(["--project", str(home / "elsewhere"), "status", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["agents"] == ["Codex", "Zed"]
    assert run(["uninstall", "zed"]) == 0
    assert run(["uninstall", "--project"]) == 0
    capsys.readouterr()
    assert run(["status"]) == 0
    assert [line.split()[1:] for line in capsys.readouterr().out.splitlines() if line.startswith("agents")] == [
        ["Codex"]
    ]


@pytest.mark.parametrize("words", [[], ["--purge", "--yes"], ["--purge", "--all-projects", "--yes"]])
def test_what_is_left_in_a_project_s_files_is_named_and_can_be_taken_out_later(
    home: Path, project: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    files = names(project)
    assert run(["install", "vscode", "--project", str(project)]) == 0
    capsys.readouterr()
    assert run(["uninstall", *words]) == 0
    said = capsys.readouterr().err
    assert f"Still in the files of {project}: holdfast uninstall --project {project}" in said
    assert "Nothing of ours" not in said
    assert run(["--project", str(project), "status", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["agents"] == ["VS Code (this project)"]
    assert run(["uninstall", "--project", str(project)]) == 0
    assert names(project) == files
    capsys.readouterr()
    assert run(["uninstall"]) == 0
    assert "Nothing of ours is in the files of any agent." in capsys.readouterr().err


def test_what_is_left_where_a_variable_pointed_is_named(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data of Cline"
    monkeypatch.setenv("CLINE_DATA_DIR", str(data))
    assert run(["install", "cline"]) == 0
    monkeypatch.delenv("CLINE_DATA_DIR")
    capsys.readouterr()
    assert run(["uninstall", "--purge", "--yes"]) == 0
    [file] = data.rglob("*.json")
    assert f"Still in {file} (Cline): repeat this with the variable" in capsys.readouterr().err
    monkeypatch.setenv("CLINE_DATA_DIR", str(data))
    assert run(["uninstall"]) == 0
    assert names(data) == set()


def test_what_is_the_user_s_is_not_left_where_a_project_s_was_asked_for(
    home: Path, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["install", "codex"]) == 0
    capsys.readouterr()
    assert run(["uninstall", "--project", str(project)]) == 0
    assert capsys.readouterr().err == "Nothing of ours is in the files of any agent.\n"


def test_a_file_whose_entries_were_taken_out_by_hand_is_not_left(
    home: Path, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["install", "zed"]) == 0
    [*files] = (path for path in home.rglob("*") if path.is_file())
    for file in files:
        file.write_text("{}")
    capsys.readouterr()
    assert run(["uninstall"]) == 0
    assert "Still in" not in capsys.readouterr().err
    assert run(["--project", str(project), "status", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["agents"] == []


def test_a_dry_run_does_not_name_what_would_go_as_left(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["install", "codex"]) == 0
    capsys.readouterr()
    assert run(["uninstall", "--dry-run"]) == 0
    assert "Still in" not in capsys.readouterr().err
