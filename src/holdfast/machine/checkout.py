"""What git knows of a directory: where its project is, and which files are worked on. Light: shared with hooks.

Where the project is, its root and its git directory, is read from git's files: a hook has no time for a process,
and a repository's own configuration must not be executed. The files at hand are those that changed, or are in this
user's latest commits; file times say nothing, as after a clone every file is new. For them git is run, briefly and
without anything a repository could bring along; where it is missing or slow nothing is at hand.
"""

import os
import time

from holdfast.machine import environment, paths

LIMIT_MS = 150
"""How long git may take in all: an agent waits."""

COMMITS = 20
"""The user's latest commits that are looked at."""

SINCE = "2.weeks"
"""Older commits tell what was being worked on."""

MOST_FILES = 200
_GIT = ("git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--no-optional-locks")
"""Nothing that the configuration of a repository names is run, and nobody is held up."""


def find_checkout(directory: str) -> "tuple[str, str | None]":
    """Return the root of the project that a directory belongs to, and the git directory of this very checkout.

    The root is the main worktree of the git common directory, so that linked worktrees share it; a submodule is
    its own; a bare repository is its own root; without git, the directory itself.
    """
    here = paths.true_name(directory)
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
    return f"{root} is no project" if paths.is_no_project(root) else None


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
    return paths.true_name(os.path.join(git, text)) if text else git


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


def _git_directory(place: str) -> "str | None":
    marker = os.path.join(place, ".git")
    if os.path.isdir(marker) and os.path.exists(os.path.join(marker, "HEAD")):
        return marker
    text = read_text(marker) if os.path.isfile(marker) else ""
    if not text.startswith("gitdir: "):
        return None
    target = paths.true_name(os.path.join(place, text.removeprefix("gitdir: ").strip()))
    return target if os.path.isdir(target) else None


def _main_worktree(place: str, git: str) -> str:
    """A checkout with its own git directory is the main one; a linked worktree leads to where that is."""
    common = common_directory(git)
    if git == common:
        return place
    worktrees = [value for section, name, value in config_lines(common) if (section, name) == ("core", "worktree")]
    if worktrees:
        return paths.true_name(os.path.join(common, worktrees[-1]))
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
