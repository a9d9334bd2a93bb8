"""Running git on a repository that anybody may have configured: nothing of it is executed, nothing is fetched.

Hooks, pagers, external diffs, text converters, file-system monitors and signature checks are switched off, a
partial clone fetches nothing, and no variable of the surroundings leads to another repository.
"""

import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from holdfast.capture.text.clean import echo
from holdfast.errors import GitFailed

_SETTINGS = (
    "core.hooksPath=" + os.devnull,
    "core.fsmonitor=false",
    "core.pager=cat",
    "core.quotePath=false",
    "core.askPass=",
    "credential.helper=",
    "diff.external=",
    "gpg.program=false",
    "i18n.logOutputEncoding=UTF-8",
    "log.showSignature=false",
    "log.mailmap=false",
    "protocol.allow=never",
)
_LEADING = ("--no-pager", "--no-optional-locks", "--no-replace-objects")
_ENVIRONMENT = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_PAGER": "cat",
    "LC_ALL": "C.UTF-8",
}
_KEPT_VARIABLES = (
    "PATH", "HOME", "USERPROFILE", "SYSTEMROOT", "TMPDIR", "TEMP", "TMP", "XDG_CONFIG_HOME",
    "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_CEILING_DIRECTORIES",
)  # fmt: skip


@contextmanager
def git(
    directory: Path, *arguments: str, feed: Sequence[str] = (), ends: str = "\n", fine: int = 0
) -> Iterator[IO[bytes]]:
    """Run git in a directory and hand out its output as it comes; raise when it fails.

    `fine` is an exit code that says something, too. What is fed is written to a file first: a pipe that both
    sides fill would stand still.
    """
    settings = [piece for setting in _SETTINGS for piece in ("-c", setting)]
    command = ["git", *_LEADING, *settings, "-C", str(directory), *arguments]
    with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as complaints:
        stdin.write(os.fsencode("".join(f"{line}{ends}" for line in feed)))
        stdin.seek(0)
        try:
            process = subprocess.Popen(
                command, stdin=stdin, stdout=subprocess.PIPE, stderr=complaints, env=_environment()
            )
        except OSError as error:
            raise GitFailed(problem=f"it cannot be started ({error.strerror or error})") from error
        with process:
            is_finished = False
            try:
                assert process.stdout  # noqa: S101 - it was asked for two lines above
                yield process.stdout
                is_finished = True
            finally:
                if not is_finished:
                    process.kill()
        if process.returncode not in (0, fine):
            complaints.seek(0)
            complaint = complaints.read(2_000).decode(errors="replace").strip()
            raise GitFailed(problem=str(echo(complaint.splitlines()[0] if complaint else "no reason given", 200)))


def lines(directory: Path, *arguments: str, feed: Sequence[str] = (), fine: int = 0) -> list[str]:
    """Return what git prints, line by line."""
    with git(directory, *arguments, feed=feed, fine=fine) as output:
        return output.read().decode(errors="replace").splitlines()


def _environment() -> dict[str, str]:
    return {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ} | _ENVIRONMENT
