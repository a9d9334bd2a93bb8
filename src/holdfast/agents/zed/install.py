"""Zed."""

import sys
from pathlib import Path

from holdfast.agents.editors.guidance import guidance
from holdfast.agents.editors.hosts import application_data
from holdfast.agents.editors.targets import PROJECT, Edit, InstallScope, JsonFile, SectionFile, Target

NAME = "Zed"
PROGRAMS = ("zed", "zeditor", "zedit")
FOLDER = (".config/zed", "")
TO_DO = {"user": "Nothing; an open project starts the server by itself."}
TO_DO["project"] = (
    "Zed asks whether to trust the project before it starts servers from .zed/settings.json: say yes."
)

INSTRUCTIONS = (
    ".rules",
    ".cursorrules",
    ".windsurfrules",
    ".clinerules",
    ".github/copilot-instructions.md",
    "AGENT.md",
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
)
"""Zed reads the first of these that a project has, and no other: a new one would hide what is there."""


def targets(place: InstallScope) -> list[Target]:
    """Return Zed's files: the server in its settings, and a section of the instructions that it reads."""
    if place.scope == PROJECT:
        settings, instructions = place.root / ".zed" / "settings.json", _instructions(place.root)
    else:
        folder = settings_folder(place)
        settings, instructions = folder / "settings.json", folder / "AGENTS.md"
    return [
        JsonFile(settings, [Edit(("context_servers", "holdfast"), {**place.stdio(), "env": {}})]),
        SectionFile(instructions, guidance()),
    ]


def settings_folder(place: InstallScope) -> Path:
    """Return where Zed's settings are; unlike other programs with a window it goes by `.config` on a Mac, too."""
    if sys.platform == "darwin":
        return place.home / ".config" / "zed"
    return application_data(place) / ("Zed" if sys.platform == "win32" else "zed")


def _instructions(root: Path) -> Path:
    """Return the file that has our section, else the first that Zed reads, else the one that it is to have."""
    present = [path for name in INSTRUCTIONS if (path := root / name).is_file()]
    own = [path for path in present if SectionFile.is_in(path)]
    return (own or present or [root / "AGENTS.md"])[0]
