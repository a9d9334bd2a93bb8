"""Gemini CLI."""

from holdfast.agents.editors.targets import (
    SECONDS,
    Edit,
    InstallScope,
    JsonFile,
    Target,
    commands,
    hook_groups_for,
)
from holdfast.agents.gemini.hook import EVENTS

NAME = "Gemini CLI"
PROGRAMS = ("gemini",)
FOLDER = (".gemini", "")
_TRUST = (
    "Gemini CLI runs servers and hooks only in folders that you trust: /permissions shows whether this one is."
)
TO_DO = {"user": _TRUST, "project": _TRUST}


def targets(place: InstallScope) -> list[Target]:
    """Return Gemini CLI's files. Its times are in milliseconds."""
    folder = place.folder(*FOLDER)
    hooks = hook_groups_for(place, "gemini", EVENTS, SECONDS * 1_000, name="holdfast")
    server = Edit(("mcpServers", "holdfast"), place.stdio())
    return [
        JsonFile(folder / "settings.json", [*hooks, server]),
        *commands("gemini", folder / "commands", place.server),
    ]
