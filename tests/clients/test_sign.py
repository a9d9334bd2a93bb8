"""The sign for the person in every real client: on the screen, in no request to the model, in nothing recorded.

`make test-clients` runs this. Terminals are tmux's; where that is missing, a desk goes without and CI fails.
"""

import contextlib
import json
import os
import shlex
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.clients.drive import CLIENTS, HOOKED, Setup, base_env, find_binary
from tests.clients.mock_model import MockModel
from tests.clients.test_hooks import World, world
from tests.clients.test_mcp import PLACE

pytestmark = pytest.mark.clients

RULES = ("Invoices are rounded per line", "Every release has a changelog entry")
SIGN = "holdfast: 2 rules told"
PATIENCE_S = 120
INTERACTIVE = {
    "claude": ("--settings", '{"enableAllProjectMcpServers": true}'),
    "codex": ("--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox"),
    "gemini": (),
    "opencode": (),
    "copilot": ("--allow-all-tools", "--no-auto-update"),
}
"""What each client is started with to have a terminal."""

READY = {
    "claude": "auto mode on",
    "codex": "Ask Codex to do anything",
    "gemini": "Type your message",
    "opencode": "Ask anything",
    "copilot": "/ commands",
}
"""What stands on the screen once something can be typed."""


def user_of(client: str, tmp_path: Path) -> World:
    """Return a user of a client with holdfast, and two rules."""
    user = world(client, tmp_path)
    user.holdfast("install", client)
    for rule in RULES:
        user.holdfast("add", rule)
    return user


@dataclass(frozen=True)
class Terminal:
    """A client that runs in a terminal."""

    socket: str

    def screen(self) -> str:
        """Return what stands on the screen."""
        return _tmux(self.socket, "capture-pane", "-p", "-J")

    def type(self, text: str) -> None:
        """Type a line."""
        _tmux(self.socket, "send-keys", "-l", text)
        self.wait_for(text)
        _tmux(self.socket, "send-keys", "Enter")

    def wait_for(self, text: str) -> str:
        """Return the first screen that shows a text."""
        until = time.monotonic() + PATIENCE_S
        while text not in (screen := self.screen()):
            assert time.monotonic() < until, f"never saw {text!r} on:\n{screen}"
            time.sleep(0.2)  # a terminal tells nobody that it changed
        return screen


@contextlib.contextmanager
def terminal(user: World, url: str) -> Iterator[Terminal]:
    """Run a client in a terminal of its own."""
    setup = Setup(find_binary(PLACE, user.client), user.home, user.project, "", url, {})
    launch = CLIENTS[user.client].launch(setup)
    arguments = [*INTERACTIVE[user.client]]
    if user.client == "codex":
        arguments += [
            word for pair in zip(launch.argv, launch.argv[1:], strict=False) if pair[0] == "-c" for word in pair
        ]
    if user.client == "claude":
        _skip_welcome(user)
    variables = base_env(PLACE, user.home) | launch.env | {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
    variables.pop("NO_COLOR", None)
    assignments = [f"{name}={value}" for name, value in variables.items()]
    command = shlex.join(["env", "-i", *assignments, str(setup.binary), *arguments])
    socket = f"holdfast-{user.client}-{os.getpid()}"
    _tmux(socket, "-f", os.devnull, "new-session", "-d", "-x", "120", "-y", "50", "-c", str(user.project), command)
    try:
        yield Terminal(socket)
    finally:
        _tmux(socket, "kill-server")


def _tmux(socket: str, *words: str) -> str:
    done = subprocess.run(["tmux", "-L", socket, *words], capture_output=True, text=True, check=True, timeout=60)
    return done.stdout


def _skip_welcome(user: World) -> None:
    """Let Claude Code be one that was set up before, in a project that is trusted."""
    file = user.home / ".claude.json"
    settings = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    settings |= {"hasCompletedOnboarding": True, "theme": "dark"}
    settings["customApiKeyResponses"] = {"approved": ["mock"], "rejected": []}
    settings.setdefault("projects", {})[str(user.project)] = {"hasTrustDialogAccepted": True}
    file.write_text(json.dumps(settings), encoding="utf-8")


@pytest.mark.skipif(not (shutil.which("tmux") or os.environ.get("CI")), reason="tmux is not here")
@pytest.mark.parametrize("client", HOOKED)
def test_the_person_sees_the_sign_and_the_model_does_not(
    client: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = user_of(client, tmp_path)
    requests = tmp_path / "requests.jsonl"
    with MockModel([{"text": "Hello to you."}], requests) as model, terminal(user, model.url) as screen:
        screen.wait_for(READY[client])
        screen.type("Say hello.")
        screen.wait_for(SIGN)
        screen.wait_for("Hello to you.")
    sent = requests.read_text(encoding="utf-8")
    assert RULES[0] in sent
    assert "rules told" not in sent
    user.settle(monkeypatch)
    assert [text for _, text in user.turns() if "rules told" in text] == []
    user.holdfast("ingest", "transcripts")
    assert [text for _, text in user.turns() if "rules told" in text] == []


@pytest.mark.parametrize("client", HOOKED)
def test_headless_output_that_programs_read_is_free_of_the_sign_and_so_is_the_model(
    client: str, tmp_path: Path
) -> None:
    """Copilot CLI prints what happens between answers, hooks included, unless it is asked for the answer alone."""
    user = user_of(client, tmp_path)
    done = user.session("Say hello.", {"text": "Hello."}, arguments=("-s",) if client == "copilot" else ())
    assert RULES[0] in done.first_request_text()
    assert "rules told" not in Path(done.requests_file).read_text(encoding="utf-8")
    assert "rules told" not in done.stdout_tail
    assert ("rules told" in done.stderr_tail) is (client == "gemini")


@pytest.mark.parametrize("client", ["gemini", "copilot"])
def test_one_switch_takes_the_sign_away(client: str, tmp_path: Path) -> None:
    user = user_of(client, tmp_path)
    assert SIGN in _output_of(user)
    user.holdfast("config", "set", "hooks.sign", "false", "--user")
    assert "rules told" not in _output_of(user)


def _output_of(user: World) -> str:
    done = user.session("Say hello.", {"text": "Hello."})
    assert RULES[0] in done.first_request_text()
    return done.stdout_tail + done.stderr_tail
