"""Where a hook works: its project, whether memory is kept there at all, and what is set there. Light.

Settings are read from a compiled copy, because reading TOML takes longer than a hook has. The copy is named after
the very bytes it was made from (both files, whether the user vouches for the project's, the environment) and the
version that made it, so it is never out of date: when anything changes there is no copy of that name, and
`compiled` makes one. Most users have no file at all, and get the defaults at once.
"""

import json
import os

from holdfast import __version__
from holdfast.errors import ConfigError
from holdfast.machine import durable, paths
from holdfast.machine.checkout import find_checkout, objection_to_store
from holdfast.machine.handles import NO_WAIT, open_handle
from holdfast.model.ids import digest, digest_bytes
from holdfast.settings.hooks import DEFAULTS, SETTINGS_FOLDER

TYPE_CHECKING = False  # typing's own, without importing typing
if TYPE_CHECKING:
    from collections.abc import Callable

    Settings = dict[str, object]


_FILE = "config.toml"
_VARIABLES = tuple("HOLDFAST_" + key.replace(".", "_").upper() for key in DEFAULTS)


class HookProject:
    """A project as a hook sees it."""

    __slots__ = ("git", "root")

    def __init__(self, directory: str) -> None:
        """Find the project of a directory; a payload may name one that is gone."""
        self.root, self.git = find_checkout(directory if os.path.isdir(directory) else os.getcwd())

    @property
    def home(self) -> str:
        """The project's own directory of holdfast."""
        return os.path.join(self.root, paths.PROJECT_HOME)

    def database(self, configured_path: "str | None") -> str:
        """Return the file of the project's store; it need not be there."""
        return paths.project_database(self.root, configured_path)

    def may_remember(self, store_path: str) -> bool:
        """Say whether a hook may bring about a store: one is there, or this is a work tree and nobody's home.

        Where a server keeps memory, the project's own directory of holdfast says that it is wanted.
        """
        return os.path.lexists(store_path) or objection_to_store(self.root, self.git) is None


def load_settings(root: str, compile_settings: "Callable[[str], Settings]") -> "Settings":
    """Return the settings in force in a project; raise `ConfigError` when they cannot be used."""
    sources = _sources(root)
    if not any(sources):
        return dict(DEFAULTS)
    name = digest_bytes(b"\0".join((__version__.encode(), *sources)))[:32]
    path = os.path.join(paths.data_directory(), SETTINGS_FOLDER, f"{name}.json")
    values = _read_values(path)
    if values is None:
        values = compile_settings(root)
        _write(path, values)
    if isinstance(facts := values.get("error"), dict):
        raise ConfigError(**facts)
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
        handle = open_handle(path, os.O_RDONLY | NO_WAIT)
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
    is_usable = isinstance(values, dict) and isinstance(values.get("error", {}), dict)
    return values if is_usable else None


def _write(path: str, values: "Settings") -> None:
    """Keep the copy, if that can be; it appears whole or not at all."""
    fresh = f"{path}.{os.getpid()}"
    try:
        paths.make_private(os.path.dirname(path))
        handle = open_handle(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        with open(handle, "w", encoding="utf-8") as file:
            json.dump(values, file)
        durable.move(fresh, path)
    except OSError:
        return
