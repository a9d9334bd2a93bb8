"""VS Code's own agent, GitHub Copilot."""

from pathlib import Path

from holdfast.agents.editors.guidance import guidance
from holdfast.agents.editors.hosts import desktop_hosts
from holdfast.agents.editors.targets import PROJECT, Edit, InstallScope, JsonFile, Target, WholeFile

NAME = "VS Code"
PROGRAMS = ("code", "code-insiders", "codium", "code-server")
FOLDER = (".vscode", "")
TO_DO = {
    "user": "Start the server once with MCP: List Servers, and trust it.",
    "project": "VS Code asks whether to trust the server in .vscode/mcp.json when it starts it: say yes.",
}
_FRONT_MATTER = "description: When to use the project's memory\napplyTo: '**'"
"""Without applyTo the file is read only when somebody attaches it."""


def settings_folder(place: InstallScope) -> Path:
    """Return where the first build of VS Code that is here keeps the user's settings."""
    folders = [host.data / "User" for host in desktop_hosts(place)]
    return next((folder for folder in folders if folder.is_dir()), folders[0])


def targets(place: InstallScope) -> list[Target]:
    """Return VS Code's files: the server, in every build that is here, and instructions."""
    if place.scope == PROJECT:
        servers = [place.root / ".vscode" / "mcp.json"]
        instructions = place.root / ".github" / "instructions"
    else:
        hosts = desktop_hosts(place)
        users = [host.data / "User" for host in hosts]
        servers = [user / "mcp.json" for user in [user for user in users if user.is_dir()] or users[:1]]
        instructions = place.home / ".copilot" / "instructions"
    server = {"type": "stdio", **place.stdio()}
    return [
        *(JsonFile(path, [Edit(("servers", "holdfast"), server)]) for path in servers),
        WholeFile(instructions / "holdfast.instructions.md", guidance(front_matter=_FRONT_MATTER)),
    ]
