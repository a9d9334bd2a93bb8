"""The server as each editor starts it: by the file that was written, in the directory and with the greeting of
that editor (its source or its documentation says which; VS Code's were recorded)."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from holdfast import Holdfast
from holdfast.agents import plan
from holdfast.agents.plan import AGENTS
from holdfast.agents.targets import USER, InstallScope, JsonFile
from holdfast.interfaces.mcp.catalogue import TOOLS
from tests.agents.test_install import home as home
from tests.agents.test_install import read
from tests.hooking import HUNG_S
from tests.interfaces.mcp.talk import INITIALIZED, call, greeting, request
from tests.rows import each

PROGRAM = str(Path(sys.executable).with_name("holdfast"))


class Editor(NamedTuple):
    """How an editor starts a server, and what it says of itself."""

    section: str
    client: str
    capabilities: Mapping[str, object]
    fields: frozenset[str]
    """What its own reader takes; Zed and VS Code complain of anything else."""
    in_home: bool = False


COMMON = frozenset({"command", "args", "env"})
ROO_FIELDS = COMMON | {"type", "cwd", "disabled", "timeout", "alwaysAllow", "watchPaths", "disabledTools"}
EDITORS = {
    "windsurf": Editor("mcpServers", "windsurf-client", {}, COMMON),
    "cline": Editor("mcpServers", "@cline/core", {}, COMMON | {"type", "cwd", "disabled", "timeout"}),
    "roo": Editor("mcpServers", "Roo Code", {}, ROO_FIELDS),
    "zed": Editor("context_servers", "Zed", {}, COMMON | {"enabled", "remote", "timeout"}),
    "vscode": Editor("servers", "Visual Studio Code", {"roots": {}}, COMMON | {"type", "cwd"}, in_home=True),
}


@each("name", EDITORS, fresh=("home", "project"))
def test_the_server_that_was_written_answers_the_editor_that_reads_it(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    editor = EDITORS[name]
    server = written_server(home, project, name, editor.section)
    assert server.keys() <= editor.fields
    environment = {**os.environ, "HOME": str(home), **server.get("env", {})}
    process = subprocess.Popen(
        [server["command"], *server["args"]],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=home if editor.in_home else project,
        env=environment,
    )
    answers = conversation(process, editor, project)
    assert [tool["name"] for tool in answers[1]["tools"]] == list(TOOLS)
    assert "nothing they say to this agent is recorded" in answers[2]["structuredContent"]["quote"]
    with Holdfast.open(project) as memory:
        [note] = memory.list()
    assert (note.agent, note.trust, note.status) == (name, "agent", "candidate")


def written_server(home: Path, project: Path, name: str, section: str) -> dict[str, Any]:
    """Install into an editor; return the server as its file has it."""
    place = InstallScope(USER, home, project, "holdfast-hook", PROGRAM)
    targets = AGENTS[name].targets(place)
    plan.install(plan.installing(targets))
    [file] = [target for target in targets if isinstance(target, JsonFile)]
    servers = read(file.path)[section]
    assert isinstance(servers, dict)
    return dict(servers["holdfast"])


def conversation(process: "subprocess.Popen[bytes]", editor: Editor, project: Path) -> list[Any]:
    """Talk to a server as an editor does, and hang up; return the results in the order of their requests."""
    assert process.stdin
    assert process.stdout
    client = {"name": editor.client, "version": "1"}
    note = call(2, "memory_add", content="Deploys go out on Tuesdays.", quote="deploys always go out on Tuesdays")
    messages = [
        greeting(0, clientInfo=client, capabilities=editor.capabilities),
        INITIALIZED,
        request(1, "tools/list"),
        note,
    ]
    process.stdin.write(b"".join(json.dumps(message).encode() + b"\n" for message in messages))
    process.stdin.flush()
    results: dict[object, Any] = {}
    while 2 not in results:
        message = json.loads(process.stdout.readline())
        if message.get("method") == "roots/list":
            roots = {"roots": [{"name": project.name, "uri": project.as_uri()}]}
            process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": roots}).encode())
            process.stdin.write(b"\n")
            process.stdin.flush()
        else:
            results[message["id"]] = message["result"]
    process.stdin.close()
    process.stdout.close()
    process.wait(HUNG_S)
    return [results[number] for number in sorted(results, key=str)]
