"""Where editors keep a user's files, on each platform: VS Code, its kin, and the extensions that run in them."""

import os
import sys
from pathlib import Path
from typing import NamedTuple

from holdfast.agents.editors.targets import InstallScope


class EditorHost(NamedTuple):
    """An editor that runs VS Code's extensions."""

    data: Path
    """What holds its folder `User`."""
    extensions: Path

    def storage(self, extension: str) -> Path:
        """Return where an extension keeps its own files."""
        return self.data / "User" / "globalStorage" / extension

    def runs(self, extension: str) -> bool:
        """Say whether an extension is installed, or has been used, in this editor."""
        return self.storage(extension).is_dir() or any(self.extensions.glob(f"{extension}-*"))


def application_data(place: InstallScope) -> Path:
    """Return where programs with a window keep a user's settings on this platform."""
    if sys.platform == "darwin":
        return place.home / "Library" / "Application Support"
    on_windows = sys.platform == "win32"
    variable, usual = ("APPDATA", "AppData/Roaming") if on_windows else ("XDG_CONFIG_HOME", ".config")
    configured_folder = os.environ.get(variable, "")
    return Path(configured_folder) if os.path.isabs(configured_folder) else place.home / usual


def desktop_hosts(place: InstallScope) -> list[EditorHost]:
    """Return VS Code itself, first, and its other builds."""
    data, home = application_data(place), place.home
    return [
        EditorHost(data / "Code", home / ".vscode" / "extensions"),
        EditorHost(data / "Code - Insiders", home / ".vscode-insiders" / "extensions"),
        EditorHost(data / "VSCodium", home / ".vscode-oss" / "extensions"),
        _code_server(home),
    ]


def extension_hosts(place: InstallScope, extension: str) -> list[EditorHost]:
    """Return the editors that run an extension; VS Code where none does yet."""
    data, home = application_data(place), place.home
    hosts = [
        *desktop_hosts(place),
        EditorHost(data / "Cursor", home / ".cursor" / "extensions"),
        EditorHost(data / "Windsurf", home / ".windsurf" / "extensions"),
        EditorHost(home / ".vscode-server" / "data", home / ".vscode-server" / "extensions"),
    ]
    return [host for host in hosts if host.runs(extension)] or hosts[:1]


def has_extension(place: InstallScope, extension: str) -> bool:
    """Say whether any editor here runs an extension."""
    return extension_hosts(place, extension)[0].runs(extension)


def _code_server(home: Path) -> EditorHost:
    folder = home / ".local" / "share" / "code-server"
    return EditorHost(folder, folder / "extensions")
