"""Cursor."""

from holdfast.agents.cursor.hook import EVENTS
from holdfast.agents.editors.targets import SECONDS, Edit, InstallScope, JsonFile, Target

NAME = "Cursor"
PROGRAMS = (
    "cursor",
    "cursor-agent",
)
FOLDER = (".cursor", "")
TO_DO = {"user": "Restart Cursor, and enable the server under Settings, MCP."}
TO_DO["project"] = TO_DO["user"]


def targets(place: InstallScope) -> list[Target]:
    """Return Cursor's files."""
    folder = place.folder(*FOLDER)
    hooks = [
        Edit(("hooks", event), {"command": place.command("cursor", event), "timeout": SECONDS}, item=True)
        for event in EVENTS
    ]
    return [
        JsonFile(folder / "hooks.json", [Edit(("version",), 1, only_if_missing=True), *hooks]),
        JsonFile(folder / "mcp.json", [Edit(("mcpServers", "holdfast"), place.stdio())]),
    ]
