"""Roo Code, an extension of VS Code and its kin."""

from holdfast.agents.editors.guidance import guidance
from holdfast.agents.editors.hosts import extension_hosts
from holdfast.agents.editors.targets import PROJECT, Edit, InstallScope, JsonFile, Target, WholeFile

NAME = "Roo Code"
PROGRAMS = ("roo",)
FOLDER = (".roo", "")
EXTENSION = "rooveterinaryinc.roo-cline"
TO_DO = {
    "user": "Press refresh in its MCP view. It reads an old .roorules or .clinerules file no more where a "
    ".roo/rules folder has something: move yours there."
}
TO_DO["project"] = TO_DO["user"]


def targets(place: InstallScope) -> list[Target]:
    """Return Roo Code's files: the server, in every editor that runs it, and a rule."""
    folder = place.folder(*FOLDER)
    if place.scope == PROJECT:
        servers = [folder / "mcp.json"]
    else:
        hosts = extension_hosts(place, EXTENSION)
        servers = [host.storage(EXTENSION) / "settings" / "mcp_settings.json" for host in hosts]
    return [
        *(JsonFile(path, [Edit(("mcpServers", "holdfast"), place.stdio())]) for path in servers),
        WholeFile(folder / "rules" / "holdfast.md", guidance()),
    ]
