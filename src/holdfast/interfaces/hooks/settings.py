"""The settings that a hook reads: from a compiled copy, because reading TOML takes longer than a hook has. Light.

The copy is named after the very bytes it was made from (both files, whether the user vouches for the project's,
and the environment), so it is never out of date: when anything changes there is no copy of that name, and
`compiled` makes one. Most users have no file at all, and get the defaults at once.
"""

import json
import os

from holdfast.errors import ConfigError
from holdfast.machine import paths
from holdfast.model.ids import digest, digest_bytes
from holdfast.settings.hooks import DEFAULTS

TYPE_CHECKING = False  # typing's own, without importing typing
if TYPE_CHECKING:
    from collections.abc import Callable

    Settings = dict[str, object]

FOLDER = "settings"
_FILE = "config.toml"
_VARIABLES = tuple("HOLDFAST_" + key.replace(".", "_").upper() for key in DEFAULTS)


def load(root: str, compile_settings: "Callable[[str], Settings]") -> "Settings":
    """Return the settings in force in a project; raise `ConfigError` when they cannot be used."""
    sources = _sources(root)
    if not any(sources):
        return dict(DEFAULTS)
    path = os.path.join(paths.data_directory(), FOLDER, digest_bytes(b"\0".join(sources))[:32] + ".json")
    values = _read_values(path)
    if values is None:
        values = compile_settings(root)
        _write(path, values)
    if "error" in values:
        raise ConfigError(key="settings", problem=str(values["error"]), origin="the settings")
    return DEFAULTS | values


def _sources(root: str) -> "list[bytes]":
    project = os.path.join(root, paths.PROJECT_HOME, _FILE)
    vouch_file = os.path.join(paths.data_directory(), "vouched", digest(os.path.realpath(project))[:32] + ".json")
    own = _bytes(project)
    environment = "\n".join(f"{name}={os.environ[name]}" for name in _VARIABLES if os.environ.get(name))
    return [
        _bytes(os.path.join(paths.config_directory(), _FILE)),
        own,
        _bytes(vouch_file) if own else b"",
        environment.encode("utf-8", "surrogateescape"),
    ]


def _bytes(path: str) -> bytes:
    """Return a file's first bytes; a clone may have put a pipe there."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return b""
    try:
        return os.read(handle, 65_537)
    except OSError:
        return b""
    finally:
        os.close(handle)


def _read_values(path: str) -> "Settings | None":
    try:
        with open(path, encoding="utf-8") as file:
            values = json.load(file)
    except (OSError, ValueError):
        return None
    return values if isinstance(values, dict) else None


def _write(path: str, values: "Settings") -> None:
    """Keep the copy, if that can be; it appears whole or not at all."""
    fresh = f"{path}.{os.getpid()}"
    try:
        paths.make_private(os.path.dirname(path))
        handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(handle, "w", encoding="utf-8") as file:
            json.dump(values, file)
        os.replace(fresh, path)
    except OSError:
        return
