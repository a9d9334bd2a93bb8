"""The real clients with a scripted model, and the server installed into them. `make test-clients` runs this."""

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.interfaces.mcp.tools import tools
from tests.clients.drive import CLIENTS, HOOKED, SessionResult, run_session
from tests.clients.installed import install

pytestmark = pytest.mark.clients

PLACE = Path(os.environ.get("HOLDFAST_CLIENTS", ".clients")).resolve()
FACT = "The invoice number is minted by the ledger, never by the web shop"
SCRIPT = [
    {"tool": "memory_add", "input": {"content": FACT, "kind": "decision"}},
    {"tool": "memory_search", "input": {"query": "who mints the invoice number"}},
    {"tool": "memory_get", "input": {"ids": ["00000000"]}},
    {"tool": "memory_update", "input": {"id": "00000000", "action": "pin"}},
    {"text": "Done."},
]


@dataclass(frozen=True, slots=True)
class Session:
    """A whole session of a client, and where it took place."""

    result: SessionResult
    home: Path
    project: Path


@pytest.fixture(scope="module", params=CLIENTS)
def session(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Session:
    """Install the server into a client, and let the script call it."""
    client: str = request.param
    home, project = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("project")
    install(client, PLACE, home)
    result = run_session(
        client, clients=PLACE, home=home, project=project, script=SCRIPT, prompt="Settle the invoices."
    )
    return Session(result, home, project)


def test_every_tool_is_in_the_first_request(session: Session) -> None:
    """Claude Code names them there and shows their schemas later."""
    offered = [*session.result.first_request_tools, *session.result.first_request_deferred_tools]
    missing = [tool.name for tool in tools() if not any(name.endswith(tool.name) for name in offered)]
    assert missing == []


def test_the_client_adds_and_finds_and_its_model_is_told_of_mistakes(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = session.result
    assert (result.exit_code, result.unplayed_tools) == (0, []), result.stderr_tail
    added, found, read, pinned = (one["text"] for one in result.tool_results() if "memory_" in one["tool"])
    monkeypatch.setenv("HOLDFAST_DATA_HOME", str(session.home / ".local" / "share" / "holdfast"))
    with Holdfast.open(session.project) as memory:
        [kept] = memory.list()
    assert (kept.content, kept.trust, kept.source) == (FACT, "agent", "mcp")
    assert kept.agent == {"claude": "claude-code"}.get(result.client, result.client)
    assert kept.id[-8:] in added
    assert kept.id[-8:] in found
    assert FACT in found
    assert "00000000" in read
    assert "No memory has the id" in pinned


def test_an_agent_without_hooks_reads_when_to_call_which_tool(session: Session) -> None:
    text = session.result.first_request_text()
    assert ("# Project memory (holdfast)" in text) == (session.result.client not in HOOKED)
