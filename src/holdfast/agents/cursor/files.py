"""Cursor's files: what is installed into it."""

from holdfast.agents.cursor import EVENTS
from holdfast.agents.targets import SECONDS, Edit, Installation, InstallScope, JsonFile, Target, server_file


def targets(place: InstallScope) -> list[Target]:
    """Return the files in which Cursor is told of holdfast."""
    folder = place.folder(*INSTALLATION.folder)
    hooks = [
        Edit(("hooks", event), {"command": place.command("cursor", event), "timeout": SECONDS}, item=True)
        for event in EVENTS
    ]
    return [
        JsonFile(folder / "hooks.json", [Edit(("version",), 1, only_if_missing=True), *hooks]),
        server_file(folder / "mcp.json", "mcpServers", place.stdio()),
    ]


INSTALLATION = Installation(
    name="Cursor",
    programs=("cursor", "cursor-agent"),
    folder=(".cursor", ""),
    targets=targets,
    to_do="Restart Cursor, and enable the server under Settings, MCP.",
)
