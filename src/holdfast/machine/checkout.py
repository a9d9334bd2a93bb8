"""Where a directory's project is, read from git's files: its root and its git directory. Light: shared with hooks.

Git is not run: a hook has no time for a process, and a repository's own configuration must not be executed.
"""

import os


def find_checkout(directory: str) -> "tuple[str, str | None]":
    """Return the root of the project that a directory belongs to, and the git directory of this very checkout.

    The root is the main worktree of the git common directory, so that linked worktrees share it; a submodule is
    its own; a bare repository is its own root; without git, the directory itself.
    """
    here = os.path.realpath(directory)
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
    return os.path.realpath(os.path.join(git, text)) if text else git


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
    target = os.path.realpath(os.path.join(place, text.removeprefix("gitdir: ").strip()))
    return target if os.path.isdir(target) else None


def _main_worktree(place: str, git: str) -> str:
    """A checkout with its own git directory is the main one; a linked worktree leads to where that is."""
    common = common_directory(git)
    if git == common:
        return place
    worktrees = [value for section, name, value in config_lines(common) if (section, name) == ("core", "worktree")]
    if worktrees:
        return os.path.realpath(os.path.join(common, worktrees[-1]))
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
