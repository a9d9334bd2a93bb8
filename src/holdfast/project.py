"""Which project a directory belongs to: its root, its id, and what git has checked out there.

Git's files are read, git is not run: a hook has no time for a process, and a repository's own configuration
must not be executed.
"""

import os
import re
from dataclasses import dataclass
from pathlib import Path

_REMOTE_WITH_SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*://(?:[^/]*@)?([^/:]+)(?::\d+)?/(.+)$", re.IGNORECASE)
_COMMIT = re.compile(r"[0-9a-f]{40,64}")
_REMOTE_SCP = re.compile(r"^(?:[^@/]+@)?([^/:]{2,}):(?!//)(.+)$")


@dataclass(frozen=True, slots=True)
class Project:
    """A code base."""

    root: Path
    id: str
    git: Path | None
    """The git directory of this very checkout (a linked worktree has its own), if there is git."""


@dataclass(frozen=True, slots=True)
class Head:
    """What is checked out."""

    branch: str | None = None
    commit: str | None = None


def find_project(directory: Path) -> Project:
    """Return the project that a directory belongs to.

    The root is the main worktree of the git common directory, so that linked worktrees share it; a submodule is
    its own; a bare repository is its own root; without git, the directory itself.
    """
    here = Path(os.path.realpath(directory))
    for place in (here, *here.parents):
        git = _git_directory(place)
        if git:
            common = _common_directory(git)
            root = _main_worktree(place, git, common)
            return Project(root, _remote_id(common) or str(root), git)
        if _is_bare(place):
            return Project(place, _remote_id(place) or str(place), place)
    return Project(here, str(here), None)


def read_head(git: Path | None) -> Head:
    """Return the branch and commit that are checked out; empty where that cannot be told."""
    text = _read(git / "HEAD") if git else ""
    if git is None or not text:
        return Head()
    if not text.startswith("ref: "):
        return Head(None, _commit(text))
    ref = text.removeprefix("ref: ").strip()
    if ref == "refs/heads/.invalid":  # the reftable format keeps the real one elsewhere
        return Head()
    common = _common_directory(git)
    commit = _read(git / ref) or _read(common / ref) or _packed(common, ref)
    return Head(ref.removeprefix("refs/heads/"), _commit(commit))


def normalise_remote(url: str) -> str:
    """Return host/path for a git remote, the same for https, ssh and scp forms, without credentials."""
    text = url.strip()
    found = _REMOTE_WITH_SCHEME.match(text) or _REMOTE_SCP.match(text)
    if not found:
        return text.removeprefix("file://").rstrip("/").removesuffix(".git")
    return f"{found[1].lower()}/{found[2].strip('/').removesuffix('.git')}"


def _commit(text: str) -> str | None:
    """Return what is a commit's hash. A planted HEAD may lead to any file, whose text must not be kept."""
    return text if _COMMIT.fullmatch(text) else None


def _git_directory(place: Path) -> Path | None:
    marker = place / ".git"
    if marker.is_dir() and (marker / "HEAD").exists():
        return marker
    text = _read(marker) if marker.is_file() else ""
    if not text.startswith("gitdir: "):
        return None
    target = Path(os.path.realpath(place / text.removeprefix("gitdir: ").strip()))
    return target if target.is_dir() else None


def _common_directory(git: Path) -> Path:
    text = _read(git / "commondir")
    return Path(os.path.realpath(git / text)) if text else git


def _main_worktree(place: Path, git: Path, common: Path) -> Path:
    """A checkout with its own git directory is the main one; a linked worktree leads to where that is."""
    if git == common:
        return place
    configured = _config_value(common, "core", "worktree")
    if configured:
        return Path(os.path.realpath(common / configured))
    return common.parent if common.name == ".git" else common


def _is_bare(place: Path) -> bool:
    return (place / "HEAD").is_file() and (place / "objects").is_dir() and (place / "refs").is_dir()


def _remote_id(common: Path) -> str | None:
    """Return the id from `origin`, or from the only remote there is."""
    remotes = _remotes(common)
    url = remotes.get("origin") or (next(iter(remotes.values())) if len(remotes) == 1 else None)
    return normalise_remote(url) if url else None


def _remotes(common: Path) -> dict[str, str]:
    remotes: dict[str, str] = {}
    for section, name, value in _config_lines(common):
        remote = re.fullmatch(r'remote\s+"(.+)"', section)
        if remote and name == "url":
            remotes.setdefault(remote[1], value)
    return remotes


def _config_value(common: Path, section: str, name: str) -> str | None:
    found = [value for part, key, value in _config_lines(common) if (part, key) == (section, name)]
    return found[-1] if found else None


def _config_lines(common: Path) -> list[tuple[str, str, str]]:
    """Return (section, name, value) for each plain line of git's config; includes are not followed."""
    lines = []
    section = ""
    for raw in _read(common / "config").splitlines():
        line = raw.strip()
        if line.startswith("[") and "]" in line:
            section = line[1 : line.rindex("]")]
        elif "=" in line and not line.startswith(("#", ";")):
            name, _, value = line.partition("=")
            lines.append((section, name.strip().lower(), _config_text(value)))
    return lines


def _config_text(value: str) -> str:
    """Return a value of git's config without its quotes or the comment behind it."""
    text = value.strip()
    return (
        text[1 : text.index('"', 1)]
        if text.startswith('"') and text.count('"') > 1
        else re.split(r"\s[#;]", text)[0]
    )


def _packed(common: Path, ref: str) -> str:
    lines = _read(common / "packed-refs").splitlines()
    return next((line.split(" ")[0] for line in lines if line.endswith(f" {ref}")), "")


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
