"""Codex."""

from holdfast.agents.codex.hook import EVENTS
from holdfast.agents.editors.targets import (
    PROJECT,
    InstallScope,
    JsonFile,
    Target,
    TomlFile,
    commands,
    hook_groups_for,
)

NAME = "Codex"
PROGRAMS = ("codex",)
FOLDER = (".codex", "CODEX_HOME")
_APPROVE = (
    "Codex runs no hook that you have not approved, and does not say so: start `codex`, type /hooks, and trust "
    "holdfast's. After every change of a hook, once more."
)
TO_DO = {"user": _APPROVE, "project": f"{_APPROVE} Codex must also trust this project."}


def targets(place: InstallScope) -> list[Target]:
    """Return Codex's files. Commands are skills there, of the user and not of a project."""
    folder = place.folder(*FOLDER)
    skills = [] if place.scope == PROJECT else commands("codex", folder / "skills", place.server)
    return [
        JsonFile(folder / "hooks.json", hook_groups_for(place, "codex", EVENTS, 3)),
        TomlFile(folder / "config.toml", "mcp_servers", "holdfast", place.stdio()),
        *skills,
    ]
