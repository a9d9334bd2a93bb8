"""Slash commands in the real clients: what a person types after the command is remembered, and nothing runs it."""

import os
import shutil
import sys
from pathlib import Path

import pytest

import holdfast.slash
from holdfast import Holdfast
from tests.clients.drive import base_env, run_session
from tests.clients.test_mcp import PLACE

pytestmark = pytest.mark.clients

COMMANDS = Path(holdfast.slash.__file__).parent / "commands"
PLACES = {"claude": ".claude/commands", "gemini": ".gemini/commands", "opencode": ".config/opencode/command"}
TYPED = "Deploys go out on Tuesdays; $(touch pwned) isn't run"


@pytest.mark.parametrize("client", PLACES)
def test_remember_keeps_what_was_typed(
    client: str, tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    shutil.copytree(COMMANDS / client, home / PLACES[client])
    path = f"{Path(sys.executable).parent}{os.pathsep}{base_env(PLACE, home)['PATH']}"
    first, *rest = TYPED.split()
    result = run_session(
        client,
        clients=PLACE,
        home=home,
        project=project,
        script=[{"text": "Done."}],
        prompt=first if client == "opencode" else f"/remember {TYPED}",
        env={"PATH": path},
        extra_args=[*rest, "--command", "remember"] if client == "opencode" else [],
    )
    assert result.exit_code == 0, result.stderr_tail
    assert "Remembered as" in result.first_request_text()
    assert [one.name for one in project.iterdir()] == [".holdfast"]
    monkeypatch.setenv("HOLDFAST_DATA_HOME", str(home / ".local" / "share" / "holdfast"))
    with Holdfast.open(project) as memory:
        assert [(one.content, one.trust) for one in memory.list()] == [(TYPED, "user")]


def test_codex_is_told_how_to_run_a_command_when_it_is_named_and_only_then(tmp_path: Path, project: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(COMMANDS / "codex", home / ".codex" / "skills")
    for prompt, told in ((f"$remember {TYPED}", True), ("Say hello.", False)):
        result = run_session(
            "codex", clients=PLACE, home=home, project=project, script=[{"text": "Done."}], prompt=prompt
        )
        assert ("holdfast slash - --until END" in result.first_request_text()) is told
