"""Commits as git has them: which there are on the branch, and what each says."""

import os
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from holdfast.ingest.git.program import git, lines
from holdfast.model.limits import FILES, PATH_CHARS

MOST_MESSAGE = 65_536
_CHUNK = 1_048_576


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
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


def commit_ids(directory: Path, most: int, since: int | None) -> list[str]:
    """Return the commits of the branch that is checked out, merges left out, the oldest first."""
    bounds = [f"--max-count={most}"] + ([f"--since={since // 1000}"] if since is not None else [])
    head = lines(directory, "rev-parse", "--verify", "--quiet", "--end-of-options", "HEAD^{commit}", fine=1)
    found = lines(directory, "rev-list", "--no-merges", "--topo-order", *bounds, head[0], "--") if head else []
    return found[::-1]


def commits(directory: Path, ids: Sequence[str]) -> Iterator[Commit]:
    """Hand out commits in the order asked, read as they come."""
    if not ids:
        return  # git takes an empty list for HEAD
    mark = secrets.token_hex(16)
    shown = f"--format=%x01{mark}%x00%H%x00%at%x00%an <%ae>%x00%B%x00"
    wanted = ("log", "--no-walk=unsorted", "--stdin", "-z", "--name-only", "--no-renames", "--no-ext-diff")
    with git(directory, *wanted, "--no-textconv", "--no-color", "--root", shown, feed=ids) as output:
        for raw in _pieces(output, b"\x01" + mark.encode() + b"\0"):
            yield _commit(raw)


def _pieces(output: IO[bytes], mark: bytes) -> Iterator[bytes]:
    """Cut a stream at a mark that nobody could foresee."""
    rest = b""
    begun = False
    while chunk := output.read(_CHUNK):
        *whole, rest = (rest + chunk).split(mark)
        for piece in whole:
            if begun:
                yield piece
            begun = True
    if begun:
        yield rest


def _commit(raw: bytes) -> Commit:
    commit_id, at, author, message, *files = raw.split(b"\0")
    named = [os.fsdecode(name.lstrip(b"\n")).encode(errors="replace").decode() for name in files]
    return Commit(
        id=commit_id.decode(),
        at=max(0, int(at or 0)) * 1000,
        author=author.decode(errors="replace"),
        message=message[:MOST_MESSAGE].decode(errors="replace").strip(),
        files=tuple(name for name in named if name and len(name) <= PATH_CHARS)[:FILES],
    )
