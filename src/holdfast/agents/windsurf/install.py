"""Windsurf, whose agent is called Cascade."""

from holdfast.agents.editors.guidance import guidance
from holdfast.agents.editors.targets import PROJECT, Edit, InstallScope, JsonFile, SectionFile, Target, WholeFile

NAME = "Windsurf"
PROGRAMS = ("windsurf",)
FOLDER = (".codeium/windsurf", "")
TO_DO = {
    "user": "Press refresh under Windsurf Settings, Cascade, MCP Servers.",
    "project": "Windsurf has MCP servers for a user only: run `holdfast install windsurf` as well.",
}


def targets(place: InstallScope) -> list[Target]:
    """Return Windsurf's files: the server for a user, and a rule for either scope."""
    if place.scope == PROJECT:
        rule = guidance(knows_project=False, front_matter="trigger: always_on")
        return [WholeFile(place.root / ".windsurf" / "rules" / "holdfast.md", rule)]
    folder = place.folder(*FOLDER)
    return [
        JsonFile(folder / "mcp_config.json", [Edit(("mcpServers", "holdfast"), place.stdio())]),
        SectionFile(folder / "memories" / "global_rules.md", guidance(knows_project=False)),
    ]
