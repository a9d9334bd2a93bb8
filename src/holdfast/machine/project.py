"""The project of a directory: its root, its id, what git has checked out there, and the files at hand.

Of what is checked out git's files are read. The files at hand are those that changed, or are in this user's latest
commits; file times say nothing, as after a clone every file is new. For them alone git is run, briefly and without
anything a repository could bring along; where it is missing or slow nothing is at hand.
"""

from __future__ import annotations

import os
import re
import time
from typing import TYPE_CHECKING

from msgspec import Struct

from holdfast.machine import environment, paths
from holdfast.machine.paths import branch_of, common_directory, config_lines, find_checkout, read_text
from holdfast.model.patterns import regex

if TYPE_CHECKING:
    from pathlib import Path

LIMIT_MS = 150
"""How long git may take in all: an agent waits."""

COMMITS = 20
"""The user's latest commits that are looked at."""

SINCE = "2.weeks"
"""Older commits tell what was being worked on."""

MOST_FILES = 200
_GIT = ("git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--no-optional-locks")
"""Nothing that the configuration of a repository names is run, and nobody is held up."""

_REMOTE_WITH_SCHEME = regex(r"^[a-z][a-z0-9+.-]*://(?:[^/]*@)?([^/:]+)(?::\d+)?/(.+)$", re.IGNORECASE)
_COMMIT = regex(r"[0-9a-f]{40,64}")
_REMOTE_SCP = regex(r"^(?:[^@/]+@)?([^/:]{2,}):(?!//)(.+)$")


class Project(Struct, frozen=True):
    """A code base."""

    root: Path
    id: str
    git: Path | None
    """The git directory of this very checkout (a linked worktree has its own), if there is git."""


class Head(Struct, frozen=True):
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


def files_at_hand(root: str) -> tuple[str, ...]:
    """Return paths below the root, changed ones first, each once."""
    end = time.monotonic() + environment.stretch(LIMIT_MS) / 1_000
    author = _run_git(root, end, "config", "user.email").strip()
    bounds = (f"--max-count={COMMITS}", f"--since={SINCE}", f"--author={author}", "--fixed-strings")
    log = _run_git(root, end, "log", *bounds, "--name-only", "--format=", "-z") if author else ""
    status = _run_git(root, end, "status", "--porcelain", "-z", "--untracked-files=no", "--no-renames")
    changed_files = [line[3:] for line in status.split("\0") if len(line) > 3]
    committed_files = [line.strip() for line in log.split("\0")]
    return tuple(dict.fromkeys(path for path in (*changed_files, *committed_files) if path))[:MOST_FILES]


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


def _run_git(root: str, end: float, *arguments: str) -> str:
    """Return what git said by then; nothing where it failed, or was late and had to be ended."""
    import subprocess  # few briefs have more rules than fit

    try:
        output = subprocess.run(
            (*_GIT, "-C", root, *arguments),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"},
            timeout=max(0.01, end - time.monotonic()),
            check=True,
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return ""
    return output.decode("utf-8", "replace")
