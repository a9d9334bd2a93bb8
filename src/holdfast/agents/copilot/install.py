"""Copilot CLI."""

import json
import sys

from holdfast.agents.copilot.hook import EVENTS
from holdfast.agents.editors.targets import PROJECT, SECONDS, Edit, InstallScope, JsonFile, Target, WholeFile

NAME = "Copilot CLI"
PROGRAMS = ("copilot",)
FOLDER = (".copilot", "COPILOT_HOME")
TO_DO = {"user": "Sessions that run now get it when they start again."}
TO_DO["project"] = TO_DO["user"]


def targets(place: InstallScope) -> list[Target]:
    """Return Copilot CLI's files: hooks in a file of our own, and the server."""
    if place.scope == PROJECT:
        hooks, servers = place.root / ".github" / "hooks", place.root / ".github" / "mcp.json"
    else:
        folder = place.folder(*FOLDER)
        hooks, servers = folder / "hooks", folder / "mcp-config.json"
    server = {"type": "local", **place.stdio(), "tools": ["*"]}
    return [
        WholeFile(hooks / "holdfast.json", _hooks(place)),
        JsonFile(servers, [Edit(("mcpServers", "holdfast"), server)]),
    ]


def _hooks(place: InstallScope) -> str:
    key = "powershell" if sys.platform == "win32" else "bash"
    hooks = {
        event: [{"type": "command", key: place.command("copilot", event), "timeoutSec": SECONDS}]
        for event in EVENTS
    }
    return json.dumps({"version": 1, "hooks": hooks}, indent=2) + "\n"
