"""Claude Code."""

from holdfast.agent_events import CLAUDE as EVENTS
from holdfast.install.agents.commands import commands
from holdfast.install.agents.hooks import grouped
from holdfast.install.surroundings import PROJECT, Surroundings
from holdfast.install.targets import Edit, JsonFile, Target

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
