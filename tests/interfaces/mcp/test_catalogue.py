"""Which tools are on: told from the settings, which are read as such only where something may be set."""

import os
import subprocess
from pathlib import Path

import pytest

from holdfast.interfaces.mcp.catalogue import TOOLS, instructions, switched_off
from holdfast.settings.schema import McpConfig
from holdfast.storage import settings


def off(project: Path) -> frozenset[str]:
    """Return what is switched off for a project."""
    return switched_off(str(project))


def set_in(project: Path, key: str, value: str, *, user: bool = False) -> None:
    """Change a setting as a person does."""
    settings.change(project, key, value, user=user, agreed=lambda keys: True)


def test_every_tool_has_a_setting() -> None:
    assert tuple(f"memory_{name}" for name in McpConfig.__struct_fields__) == TOOLS


def test_nothing_is_off_by_itself(project: Path) -> None:
    assert off(project) == frozenset()


def test_a_tool_is_switched_off_in_the_users_file(project: Path) -> None:
    set_in(project, "mcp.delete", "false", user=True)
    assert off(project) == {"memory_delete"}


def test_a_tool_is_switched_off_in_the_projects_file_also_seen_from_below_and_from_a_worktree(
    project: Path, tmp_path: Path
) -> None:
    def git(*words: str) -> None:
        who = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        subprocess.run(["git", "-C", str(project), *who, *words], check=True, capture_output=True)

    git("init")
    git("commit", "--allow-empty", "-m", "first")
    git("worktree", "add", str(tmp_path / "linked"))
    (project / "deep" / "down").mkdir(parents=True)
    set_in(project, "mcp.prune", "false")
    assert off(project) == off(project / "deep" / "down") == off(tmp_path / "linked") == {"memory_prune"}


def test_a_repository_cannot_switch_tools(project: Path) -> None:
    (project / ".holdfast").mkdir()
    (project / ".holdfast" / "config.toml").write_text("[mcp]\nsearch = false\n", encoding="utf-8")
    assert off(project) == frozenset()


def test_a_tool_is_switched_off_in_the_environment(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_MCP_STATS", "off")
    assert off(project) == {"memory_stats"}


def test_settings_that_cannot_be_used_leave_the_tools_on_so_that_a_call_can_say_so(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_MCP_STATS", "perhaps")
    assert off(project) == frozenset()


def test_a_pipe_in_the_place_of_the_settings_holds_nobody_up(project: Path) -> None:
    """A cloned repository may plant one."""
    (project / ".holdfast").mkdir()
    os.mkfifo(project / ".holdfast" / "config.toml")
    assert off(project) == frozenset()


def test_instructions_name_the_tools_on_offer_and_no_others() -> None:
    told = instructions(tuple(name for name in TOOLS if name != "memory_delete"))
    assert [name for name in TOOLS if name not in told] == ["memory_delete"]
