"""Claude Code."""

from holdfast.agents.claude.hook import EVENTS
from holdfast.agents.editors.targets import (
    PROJECT,
    Edit,
    InstallScope,
    JsonFile,
    Target,
    commands,
    hook_groups_for,
)

NAME = "Claude Code"
PROGRAMS = ("claude",)
FOLDER = (".claude", "CLAUDE_CONFIG_DIR")
TO_DO = {
    "user": "Sessions that run now get it when they start again.",
    "project": "Claude Code asks whether to trust the server in .mcp.json when it starts here next: say yes.",
}


def targets(place: InstallScope) -> list[Target]:
    """Return Claude Code's files."""
    folder = place.folder(*FOLDER)
    is_moved = folder != place.home / ".claude"
    servers = folder / ".claude.json" if is_moved else place.home / ".claude.json"
    if place.scope == PROJECT:
        servers = place.root / ".mcp.json"
    return [
        JsonFile(folder / "settings.json", hook_groups_for(place, "claude", EVENTS)),
        JsonFile(servers, [Edit(("mcpServers", "holdfast"), {"type": "stdio", **place.stdio(), "env": {}})]),
        *commands("claude", folder / "commands", place.server),
    ]
