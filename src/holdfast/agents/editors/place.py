"""Where an installation takes place: the user's home or a project, and which programs are called there."""

import os
import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from holdfast.errors import AgentFileUnusable

USER, PROJECT = SCOPES = ("user", "project")


@dataclass(frozen=True, slots=True)
class InstallScope:
    """One scope of one user on one machine."""

    scope: str
    home: Path
    root: Path
    hook: str
    server: str

    def folder(self, name: str, variable: str = "") -> Path:
        """Return an agent's folder: in the project, or in the home, which a variable of the agent may move."""
        if self.scope == PROJECT:
            return self.root / name
        configured_folder = os.environ.get(variable, "") if variable else ""
        return Path(configured_folder) if os.path.isabs(configured_folder) else self.home / name

    def command(self, client: str, event: str) -> str:
        """Return the shell command of a hook. It succeeds in silence where the program is gone."""
        words = f"{shlex.quote(self.hook)} {client} {event}"
        return words if sys.platform == "win32" else f"{words} 2>/dev/null || true"

    def stdio(self) -> dict[str, object]:
        """Return the MCP server as most agents write it."""
        return {"command": self.server, "args": ["mcp"]}


def surroundings(scope: str, root: Path) -> InstallScope:
    """Find the programs, and where this user's files are."""
    return InstallScope(scope, Path.home(), root, _program("holdfast-hook"), _program("holdfast"))


def _program(name: str) -> str:
    """Return the full path of one of our programs: beside the one that runs, or wherever it is found."""
    for folder in (Path(sys.argv[0]).absolute().parent, Path(sys.executable).absolute().parent):
        place = folder / (f"{name}.exe" if sys.platform == "win32" else name)
        if place.is_file():
            return str(place)
    executable = shutil.which(name)
    if executable is None:
        raise AgentFileUnusable(path=name, problem="the program is not installed")
    return executable
