"""Cline: its command, and the extension of VS Code and its kin; both go by one folder in the home."""

import os
from pathlib import Path

from holdfast.agents.editors.guidance import guidance
from holdfast.agents.editors.hosts import extension_hosts
from holdfast.agents.editors.targets import PROJECT, Edit, InstallScope, JsonFile, Target, WholeFile

NAME = "Cline"
PROGRAMS = ("cline",)
FOLDER = (".cline", "CLINE_DIR")
EXTENSION = "saoudrizwan.claude-dev"
TO_DO = {
    "user": "Sessions that run now get it when they start again.",
    "project": "Cline has MCP servers for a user only: run `holdfast install cline` as well.",
}
_SERVERS = "cline_mcp_settings.json"


def targets(place: InstallScope) -> list[Target]:
    """Return Cline's files: the server for a user, and a rule for either scope."""
    folder = place.folder(*FOLDER)
    rule = WholeFile(folder / "rules" / "holdfast.md", guidance(knows_project=False))
    if place.scope == PROJECT:
        return [rule]
    edit = Edit(("mcpServers", "holdfast"), place.stdio())
    return [*(JsonFile(path, [edit]) for path in _server_files(place, folder)), rule]


def _server_files(place: InstallScope, folder: Path) -> list[Path]:
    """Return the file of today's Cline, and that of older extensions where they have one."""
    data = os.environ.get("CLINE_DATA_DIR", "")
    settings = (Path(data) if os.path.isabs(data) else folder / "data") / "settings"
    older = [host.storage(EXTENSION) / "settings" for host in extension_hosts(place, EXTENSION)]
    return [settings / _SERVERS, *(path / _SERVERS for path in older if (path / _SERVERS).is_file())]
