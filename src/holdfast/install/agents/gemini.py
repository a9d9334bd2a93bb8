"""Gemini CLI."""

from holdfast.agent_events import GEMINI as EVENTS
from holdfast.install.agents.commands import commands
from holdfast.install.agents.hooks import SECONDS, grouped
from holdfast.install.surroundings import Surroundings
from holdfast.install.targets import Edit, JsonFile, Target

NAME = "Gemini CLI"
_TRUST = (
    "Gemini CLI runs servers and hooks only in folders that you trust: /permissions shows whether this one is."
)
TO_DO = {"user": _TRUST, "project": _TRUST}


def targets(place: Surroundings) -> list[Target]:
    """Return Gemini CLI's files. Its times are in milliseconds."""
    folder = place.folder(".gemini")
    hooks = grouped(place, "gemini", EVENTS, SECONDS * 1_000, name="holdfast")
    server = Edit(("mcpServers", "holdfast"), place.stdio())
    return [
        JsonFile(folder / "settings.json", [*hooks, server]),
        *commands("gemini", folder / "commands", place.server),
    ]
