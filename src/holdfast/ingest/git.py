"""Commits as git has them: which there are on the branch, and what each says.

git is run on a repository that anybody may have configured: nothing of it is executed, nothing is fetched. Hooks,
pagers, external diffs, text converters, file-system monitors and signature checks are switched off, a partial
clone fetches nothing, and no variable of the surroundings leads to another repository.
"""

import contextlib
import os
import secrets
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from msgspec import Struct

from holdfast.capture.text.clean import echo
from holdfast.errors import GitFailed
from holdfast.model.limits import FILES, PATH_CHARS

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
MOST_MESSAGE = 65_536
"""Bytes of a commit's message: as many as a memory may have."""

_CHUNK = 1_048_576
"""Bytes of git's output that are taken at once."""

Unread = Callable[[str, str], None]
"""Told of what cannot be read: which, and why."""
MOST_UNREADABLE = 50
"""Commits in a row that cannot be read before git, or the repository, is taken to be broken as a whole."""


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


class Commit(Struct, frozen=True, kw_only=True):
    """One commit: what was changed, when, and what was said about it."""

    id: str
    at: int
    author: str
    """The name and address it goes by, only to tell people from machines; it is kept nowhere."""
    message: str
    files: tuple[str, ...]

    @property
    def subject(self) -> str:
        """The first line."""
        return self.message.partition("\n")[0].strip()

    @property
    def body(self) -> str:
        """Everything after the first line."""
        return self.message.partition("\n")[2].strip()


def commit_ids(
    directory: Path, most: int, since: int | None, unread: Unread = lambda subject, why: None
) -> list[str]:
    """Return the commits of the branch that is checked out, merges left out, the oldest first.

    Where the history has a hole, those on this side of it.
    """
    bounds = [f"--max-count={most}"] + ([f"--since={since // 1000}"] if since is not None else [])
    head = lines(directory, "rev-parse", "--verify", "--quiet", "--end-of-options", "HEAD", fine=1)
    if not head:
        return []
    arguments = ("rev-list", "--no-merges", *bounds)
    try:
        return lines(directory, *arguments, "--topo-order", head[0], "--")[::-1]
    except GitFailed as error:
        return _up_to_the_hole(directory, (*arguments, head[0], "--"), unread, error)


def _up_to_the_hole(directory: Path, arguments: Sequence[str], unread: Unread, error: GitFailed) -> list[str]:
    """Return the commits that git lists before it fails: in the order of their dates it does so as it walks."""
    ids: list[str] = []
    with contextlib.suppress(GitFailed), git(directory, *arguments) as output:
        ids.extend(line.decode().strip() for line in output)
    if not ids:
        raise error
    unread(f"what came before {ids[-1][:10]}", str(error.facts["problem"]))
    return ids[::-1]


def commits(directory: Path, ids: Sequence[str], unread: Unread = lambda subject, why: None) -> Iterator[Commit]:
    """Hand out commits in the order asked, read as they come.

    One that cannot be read is told of, and passed over.
    """
    place = in_a_row = 0
    while place < len(ids):  # git takes an empty list for HEAD
        try:
            for commit in _read_commits(directory, ids[place:]):
                place, in_a_row = place + 1, 0
                yield commit
            return
        except (GitFailed, ValueError) as error:
            in_a_row += 1
            if in_a_row > MOST_UNREADABLE or place >= len(ids):
                raise
            unread(ids[place], _problem(error))
            place += 1


def _problem(error: Exception) -> str:
    return str(error.facts["problem"]) if isinstance(error, GitFailed) else "cannot be understood"


def _read_commits(directory: Path, ids: Sequence[str]) -> Iterator[Commit]:
    mark = secrets.token_hex(16)
    format_option = f"--format=%x01{mark}%x00%H%x00%at%x00%an <%ae>%x00%B%x00"
    arguments = ("log", "--no-walk=unsorted", "--stdin", "-z", "--name-only", "--no-renames", "--no-ext-diff")
    with git(directory, *arguments, "--no-textconv", "--no-color", "--root", format_option, feed=ids) as output:
        for raw in _pieces(output, b"\x01" + mark.encode() + b"\0"):
            yield _commit(raw)


def _pieces(output: IO[bytes], mark: bytes) -> Iterator[bytes]:
    """Cut a stream at a mark that nobody could foresee."""
    rest = b""
    has_begun = False
    while chunk := output.read(_CHUNK):
        *whole, rest = (rest + chunk).split(mark)
        for piece in whole:
            if has_begun:
                yield piece
            has_begun = True
    if has_begun:
        yield rest


def _commit(raw: bytes) -> Commit:
    commit_id, at, author, message, *files = raw.split(b"\0")
    file_names = [os.fsdecode(name.lstrip(b"\n")).encode(errors="replace").decode() for name in files]
    return Commit(
        id=commit_id.decode(),
        at=max(0, int(at or 0)) * 1000,
        author=author.decode(errors="replace"),
        message=message[:MOST_MESSAGE].decode(errors="replace").strip(),
        files=tuple(name for name in file_names if name and len(name) <= PATH_CHARS)[:FILES],
    )
