"""Where a hook works: its project, whether memory is kept there at all, what is set there, and what hooks remember
of a session from one process to the next. Light.

Settings are read from a compiled copy, because reading TOML takes longer than a hook has. The copy is named after
the very bytes it was made from (both files, whether the user vouches for the project's, the environment) and the
version that made it, so it is never out of date: when anything changes there is no copy of that name, and one is
made. Most users have no file at all, and get the defaults at once.

Marks are small files beside the session's spool. What a session was told is one of them: it is not told twice, nor
taken for the agent's own words when repeated. Losing one costs a second brief or the like, so none of this is
written to the disk with care.
"""

import json
import os
import time

from holdfast import __version__
from holdfast.agents import spool
from holdfast.agents.injected import sentences
from holdfast.errors import ConfigError
from holdfast.interfaces.hooks import watchdog
from holdfast.machine import durable, paths
from holdfast.machine.checkout import find_checkout, objection_to_store
from holdfast.machine.handles import NO_WAIT, open_handle
from holdfast.model.ids import digest, digest_bytes
from holdfast.settings.hooks import DEFAULTS, SETTINGS_FOLDER

TYPE_CHECKING = False  # typing's own, without importing typing
if TYPE_CHECKING:
    Settings = dict[str, object]


_FILE = "config.toml"
_VARIABLES = tuple("HOLDFAST_" + key.replace(".", "_").upper() for key in DEFAULTS)

COMPILING_MS = 3_000
"""How long a hook may take in all, once, after the settings were changed."""

DEPTH, TOLD, PROMPTED, STARTED = "depth", "told", "prompted", "started"
FORGETTING = "forgetting"
"""Set from a command to forget to the next prompt."""

MOST_TOLD = 65_536


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


def load_settings(root: str) -> "Settings":
    """Return the settings in force in a project; raise `ConfigError` when they cannot be used."""
    sources = _sources(root)
    if not any(sources):
        return dict(DEFAULTS)
    name = digest_bytes(b"\0".join((__version__.encode(), *sources)))[:32]
    path = os.path.join(paths.data_directory(), SETTINGS_FOLDER, f"{name}.json")
    values = _read_values(path)
    if values is None:
        watchdog.extend(COMPILING_MS)
        values = compile_settings(root)
        _write(path, values)
    if isinstance(facts := values.get("error"), dict):
        raise ConfigError(**facts)
    return DEFAULTS | values


def compile_settings(root: str) -> "Settings":
    """Read the settings as everything else does, once for every change; return what hooks read, or the error."""
    from pathlib import Path

    from holdfast.machine import server_url
    from holdfast.machine.project import find_project
    from holdfast.settings.load import load, sources_of

    try:
        config = load(sources_of(find_project(Path(root))))
    except ConfigError as error:
        return {"error": {name: str(fact) for name, fact in error.facts.items()}}
    values: Settings = {}
    for key in DEFAULTS:
        section, name = key.split(".")
        values[key] = getattr(getattr(config, section), name)
    if isinstance(values["store.url"], str):
        values["store.url"] = server_url.without_password(values["store.url"])  # a copy on disk holds no password
    return values


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
    try:
        paths.make_private(os.path.dirname(path))
        durable.replace_file(path, json.dumps(values))
    except OSError:
        return


class Marks:
    """What hooks remember under one name (a session's, or their own) in a project's spool."""

    __slots__ = ("folder", "name")

    def __init__(self, folder: str, name: str) -> None:
        self.folder = folder
        self.name = name

    def first(self, mark: str, within: "float | None" = None) -> bool:
        """Set a mark; say whether this process is the first to, ever or within the last so many seconds."""
        path = self._path(mark)
        try:
            os.close(open_handle(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        except FileExistsError:
            pass
        else:
            return True
        if within is None:
            return False
        try:
            old = time.time() - os.stat(path).st_mtime > within
            if old:
                os.utime(path)
        except OSError:
            return False
        return old

    def read(self, mark: str) -> str:
        """Return what a mark says; empty where there is none."""
        try:
            with open(self._path(mark), encoding="utf-8") as file:
                return file.read(MOST_TOLD)
        except (OSError, UnicodeDecodeError):
            return ""

    def number(self, mark: str) -> "int | None":
        """Return the number that a mark says; None where it says none."""
        text = self.read(mark)
        return int(text) if text.isdigit() else None

    def write(self, mark: str, text: str, how: str = "w") -> None:
        """Let a mark say something else or, with `a`, something more."""
        with open(self._path(mark), how, encoding="utf-8", opener=_open_mark) as file:
            file.write(text)

    def drop(self, mark: str) -> None:
        """Take a mark away."""
        try:
            os.unlink(self._path(mark))
        except OSError:
            return

    def clear(self) -> None:
        """Forget the session."""
        for entry in os.listdir(self.folder):
            owner, _, mark = entry.partition(".")
            if owner == self.name and not entry.endswith(spool.OPEN):
                self.drop(mark)

    def note_told(self, ids: "list[str]", texts: "list[str]") -> None:
        """Remember that the session was told these entries."""
        lines = [f"id {entry_id}" for entry_id in ids]
        lines += [f"said {sentence}" for text in texts for sentence in sentences(text)]
        self.write(TOLD, "".join(f"{line}\n" for line in lines), "a")

    def begin_anew(self) -> None:
        """Forget what the session was told: its context was cleared or compacted. What it may repeat stays.

        Its next prompt is a first one again, for the agent as for the floors of a brief.
        """
        self.write(TOLD, "".join(f"said {text}\n" for text in sorted(self.told_echoes())))
        self.drop(PROMPTED)

    def told_ids(self) -> "frozenset[str]":
        """Return the short ids of what the session was told."""
        return self._told_lines("id ")

    def told_echoes(self) -> "frozenset[str]":
        """Return the fingerprints of the sentences that the session was told."""
        return self._told_lines("said ")

    def _told_lines(self, lead: str) -> "frozenset[str]":
        lines = self.read(TOLD).splitlines()
        return frozenset(line.removeprefix(lead) for line in lines if line.startswith(lead))

    def _path(self, mark: str) -> str:
        return os.path.join(self.folder, f"{self.name}.{mark}")


def _open_mark(path: str, flags: int) -> int:
    return open_handle(path, flags)  # whatever the umask: what was told is nobody else's
