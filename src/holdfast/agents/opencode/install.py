"""OpenCode."""

import json
from importlib import resources
from pathlib import Path

from holdfast.agents.editors.targets import PROJECT, Edit, InstallScope, JsonFile, Target, WholeFile, commands

NAME = "OpenCode"
PROGRAMS = ("opencode",)
FOLDER = (".config/opencode", "OPENCODE_CONFIG_DIR")
TO_DO = {"user": "Sessions that run now get it when they start again."}
TO_DO["project"] = TO_DO["user"]


def targets(place: InstallScope) -> list[Target]:
    """Return OpenCode's files: a plugin, the server in its configuration, commands."""
    if place.scope == PROJECT:
        folder, settings = place.root / ".opencode", _settings(place.root)
    else:
        folder = place.folder(*FOLDER)
        settings = _settings(folder)
    server = {"type": "local", "command": [place.server, "mcp"], "enabled": True}
    return [
        WholeFile(folder / "plugin" / "holdfast.js", plugin(place.hook, place.server)),
        JsonFile(settings, [Edit(("mcp", "holdfast"), server)]),
        *commands("opencode", folder / "command", place.server),
    ]


def plugin(hook: str, program: str) -> str:
    """Return the plugin that calls a hook program and, for what the user types, holdfast itself."""
    text = resources.files("holdfast.agents.opencode").joinpath("plugin.js").read_text(encoding="utf-8")
    return text.replace('"holdfast-hook"', json.dumps(hook)).replace('"holdfast"', json.dumps(program))


def _settings(folder: Path) -> Path:
    """Return the configuration that is there, with comments or without."""
    jsonc_file = folder / "opencode.jsonc"
    return jsonc_file if jsonc_file.exists() else folder / "opencode.json"
