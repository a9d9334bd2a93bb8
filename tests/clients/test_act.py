"""Rules at the act in the real clients: told, asked about, refused, passed when said again, and counted.

`make test-clients` runs this.
"""

import json
from pathlib import Path

import pytest

from tests.clients.drive import HOOKED
from tests.clients.test_hooks import World, world

pytestmark = pytest.mark.clients

RULE = "From now on never create deploy.lock by hand, the ship script does it."
COMMAND = "touch deploy.lock"
TOUCH: list[dict[str, object]] = [
    {"tool": "Bash", "input": {"command": COMMAND, "description": "lock"}},
    {"tool": "exec_command", "input": {"cmd": COMMAND}},
    {"tool": "run_shell_command", "input": {"command": COMMAND, "description": "lock"}},
    {"tool": "bash", "input": {"command": COMMAND, "description": "lock"}},
]
DONE: dict[str, object] = {"text": "Done."}
ASKING = ("claude", "copilot")
"""Clients that can have their user asked by a hook; without one, as here, that is a no."""


def user_with_rule(client: str, tmp_path: Path) -> tuple[World, str]:
    """Install holdfast for a user who has a rule; return its id, too."""
    user = world(client, tmp_path)
    user.holdfast("install", client)
    added = json.loads(user.holdfast("add", RULE, "--kind", "preference", "--json"))
    return user, str(added["id"])


def record(user: World, rule: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """Return what is known of a rule once everything was taken in."""
    user.settle(monkeypatch)
    records = json.loads(user.holdfast("stats", "--rules", "--json"))
    return next((one for one in records if one["id"] == rule), {})


@pytest.mark.parametrize("client", HOOKED)
def test_a_rule_is_told_at_the_act_and_counted(
    client: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user, rule = user_with_rule(client, tmp_path)
    session = user.session("Please lock the deployment.", *TOUCH, DONE)
    assert f"(#{rule[-8:]}): {RULE}" not in session.first_request_text()
    assert f"(#{rule[-8:]}): {RULE}" in session.sent_text()
    assert (user.project / "deploy.lock").exists()
    one = record(user, rule, monkeypatch)
    assert (one["told"], one["broken"]) == (1, 1)


@pytest.mark.parametrize("client", HOOKED)
def test_a_guard_refuses_a_call_once(client: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user, rule = user_with_rule(client, tmp_path)
    user.holdfast("guard", "add", rule, "--deny", "--command", "touch deploy.lock")
    once = user.session("Please lock the deployment.", *TOUCH, DONE)
    assert not (user.project / "deploy.lock").exists()
    assert any(RULE in result["text"] for result in once.tool_results())
    again = user.session("Please lock the deployment.", *TOUCH, *TOUCH, DONE)
    assert any(RULE in result["text"] for result in again.tool_results())
    assert (user.project / "deploy.lock").exists()
    one = record(user, rule, monkeypatch)
    assert (one["refused"], one["passed"], one["broken"]) == (2, 1, 1)


@pytest.mark.parametrize("client", HOOKED)
def test_a_guard_asks_where_the_client_can(client: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user, rule = user_with_rule(client, tmp_path)
    user.holdfast("guard", "add", rule, "--ask", "--command", "touch deploy.lock")
    user.session("Please lock the deployment.", *TOUCH, DONE)
    one = record(user, rule, monkeypatch)
    assert (one["asked"], one["refused"]) == ((1, 0) if client in ASKING else (0, 1))
