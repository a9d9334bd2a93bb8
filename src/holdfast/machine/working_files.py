"""The files that are being worked on, as git knows them: changed, or in this user's latest commits.

File times say nothing: after a clone every file is new. Git is run, briefly and without anything a repository
could bring along; where it is missing or slow nothing is at hand.
"""

import os
import time

from holdfast.machine import pace
from holdfast.model.type_hints import TYPE_CHECKING

if TYPE_CHECKING:
    import subprocess

LIMIT_MS = 150
"""How long git may take in all: an agent waits."""

COMMITS = 20
"""The user's latest commits that are looked at."""

SINCE = "2.weeks"
"""Older commits tell what was being worked on."""

MOST_FILES = 200

_GIT = ("git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--no-optional-locks")
"""Nothing that the configuration of a repository names is run, and nobody is held up."""


def files_at_hand(root: str) -> tuple[str, ...]:
    """Return paths below the root, changed ones first, each once."""
    end = time.monotonic() + pace.stretch(LIMIT_MS) / 1_000
    status = _ask(root, "status", "--porcelain", "-z", "--untracked-files=no", "--no-renames")
    author = _answer(_ask(root, "config", "user.email"), end).strip()
    bounds = (f"--max-count={COMMITS}", f"--since={SINCE}", f"--author={author}", "--fixed-strings")
    log = _ask(root, "log", *bounds, "--name-only", "--format=", "-z") if author else None
    changed_files = [line[3:] for line in _answer(status, end).split("\0") if len(line) > 3]
    committed_files = [line.strip() for line in _answer(log, end).split("\0")]
    return tuple(dict.fromkeys(path for path in (*changed_files, *committed_files) if path))[:MOST_FILES]


def _ask(root: str, *arguments: str) -> "subprocess.Popen[bytes] | None":
    import subprocess  # few briefs have more rules than fit

    try:
        return subprocess.Popen(
            (*_GIT, "-C", root, *arguments),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"},
        )
    except OSError:
        return None


def _answer(process: "subprocess.Popen[bytes] | None", end: float) -> str:
    """Return what git said by then; one that is late is ended."""
    if process is None:
        return ""
    from subprocess import TimeoutExpired

    try:
        output, _ = process.communicate(timeout=max(0.01, end - time.monotonic()))
    except TimeoutExpired:
        process.kill()
        process.communicate()
        return ""
    return output.decode("utf-8", "replace") if process.returncode == 0 else ""
