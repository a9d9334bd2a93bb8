"""The server as a user installs it into each client: by its own command where it has one, else in its file."""

import json
import subprocess
import sys
from pathlib import Path

from tests.clients.drive import base_env, find_binary

PROGRAM = str(Path(sys.executable).with_name("holdfast"))


def install(client: str, clients: Path, home: Path) -> None:
    """Make `holdfast mcp` a server of the client, for every project of the user of this home."""
    match client:
        case "claude":
            _run(client, clients, home, "mcp", "add", "holdfast", "-s", "user", "--", PROGRAM, "mcp")
        case "codex":
            _run(client, clients, home, "mcp", "add", "holdfast", "--", PROGRAM, "mcp")
        case "gemini":
            _run(client, clients, home, "mcp", "add", "-s", "user", "holdfast", PROGRAM, "mcp")
        case "opencode":
            server = {"type": "local", "command": [PROGRAM, "mcp"]}
            _write(home / ".config" / "opencode" / "opencode.json", {"mcp": {"holdfast": server}})
        case "copilot":
            entry = {"type": "local", "command": PROGRAM, "args": ["mcp"], "tools": ["*"]}
            _write(home / ".copilot" / "mcp-config.json", {"mcpServers": {"holdfast": entry}})
        case "cline":
            env = base_env(clients, home)
            subprocess.run(
                [PROGRAM, "install", "cline"], env=env, cwd=home, check=True, capture_output=True, timeout=60
            )
        case _:
            raise ValueError(f"unknown client {client!r}")


def _run(client: str, clients: Path, home: Path, *words: str) -> None:
    command = [str(find_binary(clients, client)), *words]
    subprocess.run(command, env=base_env(clients, home), cwd=home, check=True, capture_output=True, timeout=60)


def _write(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
