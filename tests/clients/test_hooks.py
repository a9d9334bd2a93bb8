"""Two sessions of every real client: what one settles reaches the model of the next, and is not stored again.

`make test-clients` runs this.
"""

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.agents.plan import AGENTS
from holdfast.agents.targets import USER, InstallScope
from tests.clients.drive import HOOKED, SessionResult, base_env, find_binary, run_session
from tests.clients.test_mcp import PLACE
from tests.embedded import service_behind
from tests.interfaces.hooks.test_worker import wait_for_no_worker

pytestmark = pytest.mark.clients

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(sys.executable).with_name("holdfast")
RULE = "From now on invoice numbers are minted by the ledger, never by the web shop."
AGREED = "Agreed. From now on invoice numbers are minted by the ledger only."
QUESTION = "Who mints invoice numbers in this project?"
SHELL: list[dict[str, object]] = [
    {"tool": "Bash", "input": {"command": "echo hello-from-the-shell", "description": "say hello"}},
    {"tool": "exec_command", "input": {"cmd": "echo hello-from-the-shell"}},
    {"tool": "run_shell_command", "input": {"command": "echo hello-from-the-shell", "description": "say hello"}},
    {"tool": "bash", "input": {"command": "echo hello-from-the-shell", "description": "say hello"}},
]


@dataclass(frozen=True)
class World:
    """A user of one client: a home in which holdfast is installed, and a project."""

    client: str
    home: Path
    project: Path

    def holdfast(self, *words: str) -> str:
        """Run holdfast as this user."""
        variables = {name: value for name, value in os.environ.items() if not name.startswith("HOLDFAST_")}
        done = subprocess.run(
            [PROGRAM, *words],
            cwd=self.project,
            env=variables | {"HOME": str(self.home)},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    def session(self, prompt: str, *script: dict[str, object], arguments: tuple[str, ...] = ()) -> SessionResult:
        """Let the client run a session, and wait for nothing afterwards."""
        result = run_session(
            self.client,
            clients=PLACE,
            home=self.home,
            project=self.project,
            script=list(script),
            prompt=prompt,
            extra_args=arguments,
        )
        assert result.exit_code == 0, result.stderr_tail
        return result

    def settle(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Wait until everything that was said is in the store."""
        wait_for_no_worker(self.project)
        monkeypatch.setenv("HOLDFAST_DATA_HOME", str(self.home / ".local" / "share" / "holdfast"))
        from holdfast.storage.drain import drain_everything

        drain_everything()

    def turns(self) -> list[tuple[str, str]]:
        """Return who said what in every session, in order."""
        with Holdfast.open(self.project) as memory:
            service = service_behind(memory)
            return [
                (turn.role, turn.text)
                for session in reversed(service.sessions())
                for turn in service.turns(session.id)
            ]


def world(client: str, tmp_path: Path) -> World:
    """Make a home and a project, and install holdfast for the user."""
    home, project = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    project.mkdir(exist_ok=True)
    subprocess.run(["git", "init", "-q", project], check=True)
    return World(client, home, project)


@pytest.mark.parametrize("client", HOOKED)
def test_what_one_session_settles_reaches_the_model_of_the_next(
    client: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = world(client, tmp_path)
    user.holdfast("install", client)
    user.session(RULE, *SHELL, {"text": AGREED})
    begun = time.monotonic()
    second = user.session(QUESTION, {"text": "The ledger does."})
    assert "minted by the ledger" in second.first_request_text()
    assert time.monotonic() - begun < 120
    user.settle(monkeypatch)
    said = user.turns()
    assert [text for role, text in said if role == "user"] == [RULE, QUESTION]
    assert [text for role, text in said if role == "assistant"] == [AGREED, "The ledger does."]
    assert ["hello-from-the-shell" in text for role, text in said if role == "tool"] == [True]
    assert not [text for _, text in said if "project memory" in text.lower() or "project_memory" in text]


def test_a_session_that_opencode_resumes_is_told_again_what_always_holds(tmp_path: Path) -> None:
    """Its system prompt, which carries what memory has, is not part of what OpenCode keeps of a session."""
    user = world("opencode", tmp_path)
    user.holdfast("install", "opencode")
    added = json.loads(user.holdfast("add", "Invoices are rounded per line", "--json"))
    user.holdfast("pin", added["id"])
    for arguments in ((), ("--continue",)):
        one = user.session("Say hello.", {"text": "Hello."}, arguments=arguments)
        assert one.first_request_text().count("Invoices are rounded per line") == 1


@pytest.mark.parametrize("client", HOOKED)
def test_after_uninstalling_nothing_of_ours_is_left_and_the_client_runs_on(client: str, tmp_path: Path) -> None:
    user = world(client, tmp_path)
    user.holdfast("install", client)
    user.session("Say hello.", {"text": "Hello."})
    user.holdfast("uninstall", client)
    wait_for_no_worker(user.project)
    user.session("Say hello again.", {"text": "Hello."})
    place = InstallScope(USER, user.home, user.project, "holdfast-hook", "holdfast")
    files = [target.path for target in AGENTS[client].targets(place)]
    assert [path for path in files if path.exists() and b"holdfast" in path.read_bytes()] == []
    assert [path for path in files if path.exists() and path.name.startswith("holdfast")] == []


def test_a_session_that_settings_and_a_plugin_both_see_is_recorded_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = world("claude", tmp_path)
    user.holdfast("install", "claude")
    monkeypatch.setenv("PATH", f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}")
    plugin = ("--plugin-dir", str(ROOT / "plugins" / "claude"))
    first = user.session(RULE, SHELL[0], {"text": AGREED}, arguments=plugin)
    assert first.tool_calls() == ["Bash"]
    second = user.session(QUESTION, {"text": "The ledger does."}, arguments=plugin)
    assert second.first_request_text().count("</project_memory>") <= 2, (
        "one brief for the start, one for the prompt"
    )
    user.settle(monkeypatch)
    assert [text for role, text in user.turns() if role == "user"] == [RULE, QUESTION]
    assert len(user.turns()) == 5


def test_the_plugin_alone_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user = world("claude", tmp_path)
    monkeypatch.setenv("PATH", f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}")
    plugin = ("--plugin-dir", str(ROOT / "plugins" / "claude"))
    user.session(RULE, {"text": AGREED}, arguments=plugin)
    second = user.session(QUESTION, {"text": "The ledger does."}, arguments=plugin)
    assert "minted by the ledger" in second.first_request_text()
    offered = [*second.first_request_tools, *second.first_request_deferred_tools]
    assert any(name.endswith("memory_search") for name in offered)


@pytest.mark.parametrize(
    ("client", "words"),
    [
        ("claude", ("plugin", "validate", "plugins/claude")),
        ("claude", ("plugin", "validate", ".")),
        ("gemini", ("extensions", "validate", "plugins/gemini")),
    ],
)
def test_the_packages_are_valid_to_the_clients_themselves(
    client: str, words: tuple[str, ...], tmp_path: Path
) -> None:
    done = subprocess.run(
        [find_binary(PLACE, client), *words],
        cwd=ROOT,
        env=base_env(PLACE, tmp_path),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
