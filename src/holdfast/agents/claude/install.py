"""Claude Code."""

from holdfast.agents.claude.hook import EVENTS
from holdfast.agents.command_files import commands
from holdfast.agents.editors.place import PROJECT, Surroundings
from holdfast.agents.editors.targets import Edit, JsonFile, Target
from holdfast.agents.hook_groups import grouped

NAME = "Claude Code"
TO_DO = {
    "user": "Sessions that run now get it when they start again.",
    "project": "Claude Code asks whether to trust the server in .mcp.json when it starts here next: say yes.",
}


def targets(place: Surroundings) -> list[Target]:
    """Return Claude Code's files."""
    folder = place.folder(".claude", "CLAUDE_CONFIG_DIR")
    moved = folder != place.home / ".claude"
    servers = folder / ".claude.json" if moved else place.home / ".claude.json"
    if place.scope == PROJECT:
        servers = place.root / ".mcp.json"
    return [
        JsonFile(folder / "settings.json", grouped(place, "claude", EVENTS)),
        JsonFile(servers, [Edit(("mcpServers", "holdfast"), {"type": "stdio", **place.stdio(), "env": {}})]),
        *commands("claude", folder / "commands", place.server),
    ]
