"""The protocol's own Inspector lists and calls every tool. `make test-clients` runs this."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from holdfast.interfaces.mcp.tools import tools
from tests.clients.drive import base_env
from tests.clients.installed import PROGRAM
from tests.clients.test_mcp import PLACE

pytestmark = pytest.mark.clients

INSPECTOR = PLACE / "inspector" / "node_modules" / ".bin" / "mcp-inspector"


class Inspector:
    """Calls a server on one project, a process each time."""

    def __init__(self, home: Path, project: Path) -> None:
        self._home = home
        self._project = project

    def __call__(self, method: str, *words: str) -> Any:
        command = [str(INSPECTOR), "--cli", PROGRAM, "mcp", "--method", method, *words]
        env = base_env(PLACE, self._home)
        done = subprocess.run(command, env=env, cwd=self._project, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def call(self, tool: str, **arguments: str) -> Any:
        """Call a tool; return its structured result."""
        words = [word for name, value in arguments.items() for word in ("--tool-arg", f"{name}={value}")]
        result = self("tools/call", "--tool-name", tool, *words)
        assert not result["isError"]
        return result["structuredContent"]


def test_it_lists_and_calls_every_tool(tmp_path: Path, project: Path) -> None:
    """Strictly: every schema is one that all models take."""
    inspector = Inspector(tmp_path, project)
    listed = {tool["name"] for tool in inspector("tools/list", "--strict")["tools"]}
    assert listed == {tool.name for tool in tools()}
    memory_id = inspector.call("memory_add", content="The ledger mints invoice numbers", kind="decision")["id"]
    assert [hit["id"] for hit in inspector.call("memory_search", query="invoice", limit="3")["hits"]] == [
        memory_id
    ]
    assert inspector.call("memory_get", ids=json.dumps([memory_id]))["memories"][0]["id"] == memory_id
    assert inspector.call("memory_timeline", id=memory_id)["entries"][0]["anchor"]
    assert inspector.call("memory_recall", query="ledger", k="1")["memories"][0]["id"] == memory_id
    assert inspector.call("memory_update", id=memory_id, action="pin")["proposal"]
    assert inspector.call("memory_stats")["memories"] == 1
    assert inspector.call("memory_delete", id=memory_id)["ids"] == [memory_id]


def test_it_lists_prompts_and_resources(tmp_path: Path, project: Path) -> None:
    inspector = Inspector(tmp_path, project)
    assert [prompt["name"] for prompt in inspector("prompts/list")["prompts"]] == [
        "remember",
        "forget",
        "pin",
        "memory",
        "learn",
    ]
    assert inspector("resources/templates/list")["resourceTemplates"][0]["uriTemplate"] == "memory://{id}"
    said = inspector("prompts/get", "--prompt-name", "remember", "--prompt-args", "text=Deploy on Tuesdays")
    assert "Remembered as" in said["messages"][0]["content"]["text"]
