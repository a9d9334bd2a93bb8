"""Where things are on this machine: a user's own files, whether a store's file is one that this user made, and the
project of a directory. Light: shared with hooks.

Written here rather than taken from platformdirs, whose import (pathlib, typing) costs a hook 15 ms for what
is three environment variables. `settings.registry` records which files this user made; this module names the
entries and compares them, before SQLite opens a file.

Where a project is, its root and its git directory, is read from git's files: a hook has no time for a process,
and a repository's own configuration must not be executed.
"""

import json
import os
import stat
import sys

from holdfast.machine import disk
from holdfast.machine.disk import holds_bytes, open_handle
from holdfast.model.ids import digest

PROJECT_HOME = ".holdfast"
"""The directory of a project's store, in its root."""

DATABASE = "memory.db"
"""The file of a store, in that directory or in the user's data directory."""

_LOGS = ("-wal", "-shm", "-journal")
_LONGEST_PATH = 1_024
"""Bytes of a path on macOS."""


def data_directory() -> str:
    """Return the directory for this user's data: the user-scope store, the registry, backups."""
    return _place("HOLDFAST_DATA_HOME", "XDG_DATA_HOME", ".local/share", "LOCALAPPDATA")


def config_directory() -> str:
    """Return the directory for this user's configuration."""
    return _place("HOLDFAST_CONFIG_HOME", "XDG_CONFIG_HOME", ".config", "APPDATA")


def project_database(root: str, configured: str | None = None) -> str:
    """Return the file of a project's store: where `store.path` puts it, else in the project's own directory."""
    if configured:
        return os.path.join(root, os.path.expanduser(configured))
    return os.path.join(root, PROJECT_HOME, DATABASE)


def user_database() -> str:
    """Return the file of the user's own store."""
    return os.path.join(data_directory(), DATABASE)


def home() -> str:
    """Return the user's home. An empty HOME is none, though `~` would make it the root of the file system."""
    if sys.platform == "win32" or os.environ.get("HOME") != "":
        return os.path.expanduser("~")
    import pwd  # almost nobody has an empty HOME

    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return "~"


def is_no_project(root: str) -> bool:
    """Say whether a directory is the root of the file system or the user's home: who works there works nowhere.

    A store in it would take in whatever is done below it, so none is made unless a person asks for it.
    """
    return root in (os.path.dirname(root), true_name(home()))


def make_private(directory: str) -> None:
    """Make a directory, and those it lies in, each for its owner alone whatever the umask, as the XDG rules say.

    `os.makedirs` gives its mode to the last one only: with an open umask anybody could put others in its place.
    """
    above = os.path.dirname(directory)
    if above and above != directory and not os.path.isdir(above):
        make_private(above)
    try:
        os.mkdir(directory, 0o700)
        disk.sync_directory(above)
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


def is_owned(database: str, folder: str) -> bool:
    """Say whether this user made the very file that stands at a path, and nothing beside it leads elsewhere."""
    try:
        file_status = os.lstat(database)
        entries = [name for name in os.listdir(folder) if name.startswith(f"{key_of(real_name(database))}-")]
    except OSError:
        return False
    if not stat.S_ISREG(file_status.st_mode) or any(os.path.islink(database + tail) for tail in ("", *_LOGS)):
        return False
    if os.path.islink(os.path.dirname(database)):
        return False
    return any(_holds(os.path.join(folder, name), file_status.st_ino, database) for name in entries)


def true_name(directory: str) -> str:
    """Return a directory's name with every link followed, in the letters that it was made with.

    macOS opens `Shop` as `shop`, and one project must not be two; Windows' own `realpath` sees to it.
    """
    if sys.platform == "darwin":
        import fcntl

        try:
            handle = open_handle(directory, os.O_RDONLY | os.O_DIRECTORY)  # a pipe would have us wait
        except OSError:
            return os.path.realpath(directory)  # one that is not there, is something else, or may not be read
        try:
            return os.fsdecode(fcntl.fcntl(handle, fcntl.F_GETPATH, bytes(_LONGEST_PATH)).rstrip(b"\0"))
        except OSError:
            pass
        finally:
            os.close(handle)
    return os.path.realpath(directory)


def key_of(path: str) -> str:
    """Return what entries about a path are called."""
    return digest(path)[:32]


def real_name(database: str) -> str:
    """Return a database's name with every link above it followed, but not one in its own place."""
    folder, name = os.path.split(database)
    return os.path.join(true_name(folder), name)


def names_store(file: str | os.PathLike[str], store_id: str, most: int = 0) -> bool:
    """Say whether a store's id stands in a file's bytes, without opening it as a database."""
    try:
        return holds_bytes(file, b"store_id" + store_id.encode(), most)
    except OSError:
        return False


def _holds(entry: str, inode: int, database: str) -> bool:
    try:
        with open(entry, encoding="utf-8") as file:
            record = json.load(file)
        return record["inode"] == inode and names_store(database, record["store"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


# ── the project of a directory ─────────────────────────────────────────────────────────────────────────────────


def find_checkout(directory: str) -> "tuple[str, str | None]":
    """Return the root of the project that a directory belongs to, and the git directory of this very checkout.

    The root is the main worktree of the git common directory, so that linked worktrees share it; a submodule is
    its own; a bare repository is its own root; without git, the directory itself.
    """
    here = true_name(directory)
    place = here
    while True:
        git = _git_directory(place)
        if git:
            return _main_worktree(place, git), git
        if is_bare(place):
            return place, place
        above = os.path.dirname(place)
        if above == place:
            return here, None
        place = above


def objection_to_store(root: str, git: "str | None") -> "str | None":
    """Say why hooks bring about no store in a directory by themselves; None where they may."""
    if git is None or (git == root and is_bare(git)):
        return f"{root} is no git work tree"
    return f"{root} is no project" if is_no_project(root) else None


def branch_of(git: "str | None") -> "str | None":
    """Return the branch that a checkout is on; None where there is none, or it cannot be told."""
    text = read_text(os.path.join(git, "HEAD")) if git else ""
    ref = text.removeprefix("ref: ").strip()
    if (
        not text.startswith("ref: ") or ref == "refs/heads/.invalid"
    ):  # the reftable format keeps the real one elsewhere
        return None
    return ref.removeprefix("refs/heads/")


def common_directory(git: str) -> str:
    """Return the git directory that all worktrees of a repository share."""
    text = read_text(os.path.join(git, "commondir"))
    return true_name(os.path.join(git, text)) if text else git


def is_bare(place: str) -> bool:
    """Say whether a directory is a repository without a work tree."""
    return (
        os.path.isfile(os.path.join(place, "HEAD"))
        and os.path.isdir(os.path.join(place, "objects"))
        and os.path.isdir(os.path.join(place, "refs"))
    )


def config_lines(common: str) -> "list[tuple[str, str, str]]":
    """Return (section, name, value) for each plain line of git's config; includes are not followed."""
    lines = []
    section = ""
    for raw in read_text(os.path.join(common, "config")).splitlines():
        line = raw.strip()
        if line.startswith("[") and "]" in line:
            section = line[1 : line.rindex("]")]
        elif "=" in line and not line.startswith(("#", ";")):
            name, _, value = line.partition("=")
            lines.append((section, name.strip().lower(), _config_text(value)))
    return lines


def read_text(path: str) -> str:
    """Return a file's text without blanks around it; empty where it cannot be read."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return ""


def _git_directory(place: str) -> "str | None":
    marker = os.path.join(place, ".git")
    if os.path.isdir(marker) and os.path.exists(os.path.join(marker, "HEAD")):
        return marker
    text = read_text(marker) if os.path.isfile(marker) else ""
    if not text.startswith("gitdir: "):
        return None
    target = true_name(os.path.join(place, text.removeprefix("gitdir: ").strip()))
    return target if os.path.isdir(target) else None


def _main_worktree(place: str, git: str) -> str:
    """A checkout with its own git directory is the main one; a linked worktree leads to where that is."""
    common = common_directory(git)
    if git == common:
        return place
    worktrees = [value for section, name, value in config_lines(common) if (section, name) == ("core", "worktree")]
    if worktrees:
        return true_name(os.path.join(common, worktrees[-1]))
    return os.path.dirname(common) if os.path.basename(common) == ".git" else common


def _config_text(value: str) -> str:
    """Return a value of git's config without its quotes or the comment behind it."""
    text = value.strip()
    if text.startswith('"') and text.count('"') > 1:
        return text[1 : text.index('"', 1)]
    for place in range(1, len(text)):
        if text[place] in "#;" and text[place - 1].isspace():
            return text[: place - 1]
    return text
