"""Where a user's own files live: the data and the configuration directory. Light: shared with hooks.

Written here rather than taken from platformdirs, whose import (pathlib, typing) costs a hook 15 ms for what
is three environment variables.
"""

import os
import sys

from holdfast.machine import durable

PROJECT_HOME = ".holdfast"
"""The directory of a project's store, in its root."""


def data_directory() -> str:
    """Return the directory for this user's data: the user-scope store, the registry, backups."""
    return _place("HOLDFAST_DATA_HOME", "XDG_DATA_HOME", ".local/share", "LOCALAPPDATA")


def config_directory() -> str:
    """Return the directory for this user's configuration."""
    return _place("HOLDFAST_CONFIG_HOME", "XDG_CONFIG_HOME", ".config", "APPDATA")


def is_no_project(root: str) -> bool:
    """Say whether a directory is the root of the file system or the user's home: who works there works nowhere.

    A store in it would take in whatever is done below it, so none is made unless a person asks for it.
    """
    return root in (os.path.dirname(root), os.path.realpath(home()))


def make_private(directory: str) -> None:
    """Make a directory, and those it lies in, each for its owner alone whatever the umask, as the XDG rules say.

    `os.makedirs` gives its mode to the last one only: with an open umask anybody could put others in its place.
    """
    above = os.path.dirname(directory)
    if above and above != directory and not os.path.isdir(above):
        make_private(above)
    try:
        os.mkdir(directory, 0o700)
        durable.sync_directory(above)
    except FileExistsError:
        if not os.path.isdir(directory):
            raise


def _place(own: str, xdg: str, unix: str, windows: str) -> str:
    """Ours first, then the platform's convention. Relative values are ignored, as the XDG rules say."""
    if os.path.isabs(os.environ.get(own, "")):
        return os.environ[own]
    if os.path.isabs(os.environ.get(xdg, "")):
        return os.path.join(os.environ[xdg], "holdfast")
    if sys.platform == "win32" and os.environ.get(windows):
        return os.path.join(os.environ[windows], "holdfast")
    place = home()
    if sys.platform == "darwin":
        return os.path.join(place, "Library", "Application Support", "holdfast")
    return os.path.join(place, unix, "holdfast")


def home() -> str:
    """Return the user's home. An empty HOME is none, though `~` would make it the root of the file system."""
    if sys.platform == "win32" or os.environ.get("HOME") != "":
        return os.path.expanduser("~")
    import pwd  # almost nobody has an empty HOME

    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return "~"
