"""Which project a directory belongs to: its root, its id, and what git has checked out there.

Git's files are read, git is not run. What is checked out is light to ask for; a project comes with `pathlib`.
"""

from __future__ import annotations

import os
import re

from holdfast.machine import paths
from holdfast.machine.checkout import branch_of, common_directory, config_lines, find_checkout, read_text
from holdfast.model.patterns import regex
from holdfast.model.type_hints import TYPE_CHECKING
from holdfast.model.value import Value

if TYPE_CHECKING:
    from pathlib import Path

_REMOTE_WITH_SCHEME = regex(r"^[a-z][a-z0-9+.-]*://(?:[^/]*@)?([^/:]+)(?::\d+)?/(.+)$", re.IGNORECASE)
_COMMIT = regex(r"[0-9a-f]{40,64}")
_REMOTE_SCP = regex(r"^(?:[^@/]+@)?([^/:]{2,}):(?!//)(.+)$")


class Project(Value):
    """A code base."""

    root: Path
    id: str
    git: Path | None
    """The git directory of this very checkout (a linked worktree has its own), if there is git."""


class Head(Value):
    """What is checked out."""

    branch: str | None = None
    commit: str | None = None


def find_project(directory: Path) -> Project:
    """Return the project that a directory belongs to; `checkout` says what its root is."""
    from pathlib import Path

    root, git = find_checkout(str(directory))
    if git is None:
        return Project(Path(root), root, None)
    return Project(Path(root), _remote_id(common_directory(git)) or root, Path(git))


def contains(project: Project, directory: str) -> bool:
    """Say whether a directory is, or was, one of a project's: one that is gone is told by its path."""
    from pathlib import Path

    if not os.path.isabs(directory):
        return False
    below = Path(paths.true_name(str(directory))).is_relative_to(project.root)
    if project.git is None or not os.path.isdir(directory):
        return below
    return find_project(Path(directory)).root == project.root


def checkouts(project: Project) -> list[Path]:
    """Return the directories that a project is checked out in: its root, and its linked worktrees."""
    from pathlib import Path

    if project.git is None:
        return [project.root]
    worktrees = Path(common_directory(str(project.git))) / "worktrees"
    git_paths = [read_text(str(gitdir)) for gitdir in sorted(worktrees.glob("*/gitdir"))]
    return [project.root, *(Path(git_path).parent for git_path in git_paths if os.path.isabs(git_path))]


def read_head(git: str | Path | None) -> Head:
    """Return the branch and commit that are checked out; empty where that cannot be told."""
    text = read_text(f"{git}/HEAD") if git else ""
    if git is None or not text:
        return Head()
    if not text.startswith("ref: "):
        return Head(None, _commit(text))
    branch = branch_of(str(git))
    if branch is None:
        return Head()
    ref, common = text.removeprefix("ref: ").strip(), common_directory(str(git))
    commit = read_text(f"{git}/{ref}") or read_text(f"{common}/{ref}") or _packed_ref(common, ref)
    return Head(branch, _commit(commit))


def normalise_remote(url: str) -> str:
    """Return host/path for a git remote, the same for https, ssh and scp forms, without credentials."""
    text = url.strip()
    match = _REMOTE_WITH_SCHEME.match(text) or _REMOTE_SCP.match(text)
    if not match:
        return text.removeprefix("file://").rstrip("/").removesuffix(".git")
    return f"{match[1].lower()}/{match[2].strip('/').removesuffix('.git')}"


def _commit(text: str) -> str | None:
    """Return what is a commit's hash. A planted HEAD may lead to any file, whose text must not be kept."""
    return text if _COMMIT.fullmatch(text) else None


def _remote_id(common: str) -> str | None:
    """Return the id from `origin`, or from the only remote there is."""
    remotes = _remotes(common)
    url = remotes.get("origin") or (next(iter(remotes.values())) if len(remotes) == 1 else None)
    return normalise_remote(url) if url else None


def _remotes(common: str) -> dict[str, str]:
    remotes: dict[str, str] = {}
    for section, name, value in config_lines(common):
        remote = re.fullmatch(r'remote\s+"(.+)"', section)
        if remote and name == "url":
            remotes.setdefault(remote[1], value)
    return remotes


def _packed_ref(common: str, ref: str) -> str:
    lines = read_text(f"{common}/packed-refs").splitlines()
    return next((line.split(" ")[0] for line in lines if line.endswith(f" {ref}")), "")
