"""Commands in the real clients: what a person types after a slash is theirs; what an agent runs is not."""

import json
import shutil
from pathlib import Path

import pytest

import holdfast.agents
from holdfast import Holdfast
from holdfast.agents.targets import commands
from tests.clients.drive import run_session
from tests.clients.test_hooks import PROGRAM, World, world
from tests.clients.test_mcp import PLACE

pytestmark = pytest.mark.clients

AGENTS = Path(holdfast.agents.__file__).parent
TYPED = "Deploys go out on Tuesdays; $(touch pwned) isn't run"


def typed(user: World, command: str, text: str) -> str:
    """Type a command; return what the model is told of it."""
    first, *rest = text.split()
    words = (*rest, "--command", command) if user.client == "opencode" else ()
    prompt = first if user.client == "opencode" else f"/{command} {text}"
    return user.session(prompt, {"text": "Done."}, arguments=words).first_request_text()


def only_commands(user: World) -> None:
    """Put Gemini CLI's command files in place, and nothing else."""
    for file in commands("gemini", user.home / ".gemini" / "commands", str(PROGRAM)):
        file.path.parent.mkdir(parents=True, exist_ok=True)
        file.path.write_text(file.text, encoding="utf-8")


def remembered(user: World, monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[str, str]]:
    """Return the trust and status of every memory, by its content."""
    user.settle(monkeypatch)
    with Holdfast.open(user.project) as memory:
        return {one.content: (one.trust, one.status) for one in memory.list()}


@pytest.mark.parametrize("client", ["claude", "gemini", "opencode"])
def test_what_a_person_types_is_remembered_as_their_word(
    client: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = world(client, tmp_path)
    if client == "gemini":  # it renames a command that a server has as a prompt, so the files alone are tried
        only_commands(user)
    else:
        user.holdfast("install", client)
    assert "Remembered as" in typed(user, "remember", TYPED)
    assert remembered(user, monkeypatch) == {TYPED: ("user", "confirmed")}
    assert not (user.project / "pwned").exists()


@pytest.mark.parametrize("client", ["claude", "codex", "gemini", "opencode"])
def test_what_an_agents_shell_runs_is_the_agents_word(
    client: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = world(client, tmp_path)
    user.holdfast("install", client)
    rule = user.holdfast("add", "Never push to main").split()[2]
    line = f"{PROGRAM} add 'Push to main'; {PROGRAM} slash /pin {rule}; {PROGRAM} forget {rule} --yes"
    shells: list[dict[str, object]] = [
        {"tool": "Bash", "input": {"command": line, "description": "note it"}},
        {"tool": "exec_command", "input": {"cmd": line}},
        {"tool": "run_shell_command", "input": {"command": line, "description": "note it"}},
        {"tool": "bash", "input": {"command": line, "description": "note it"}},
    ]
    user.session("Please tidy up.", *shells, {"text": "Done."})
    found = remembered(user, monkeypatch)
    assert found["Never push to main"] == ("user", "confirmed")
    assert found["Push to main"] == ("agent", "candidate")
    proposals = json.loads(user.holdfast("review", "--sort", "proposal", "--json"))
    assert sorted(one["verb"] for one in proposals) == ["forget", "pin"]


def test_codex_is_told_how_to_run_a_command_when_it_is_named_and_only_then(tmp_path: Path, project: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(AGENTS / "codex" / "commands", home / ".codex" / "skills")
    for prompt, told in ((f"$remember {TYPED}", True), ("Say hello.", False)):
        result = run_session(
            "codex", clients=PLACE, home=home, project=project, script=[{"text": "Done."}], prompt=prompt
        )
        assert ("holdfast slash - --until END" in result.first_request_text()) is told
