"""Sessions that agents wrote down: what one is, where it lies, and its JSON lines. Somebody else writes those,
perhaps at this moment: what is no object is passed over."""

import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

from holdfast.agents.events import AgentEvent
from holdfast.machine.disk import NO_WAIT, open_handle

Belongs = Callable[[str], bool]
"""Says whether a directory is one of the project's."""

LONGEST = 32 << 20
"""Bytes of a line that is read at all: a picture in a message can be large."""
UNKNOWN_TOOL = "unknown"
Call = tuple[str, dict[str, object]]
"""A tool, and what it was asked: kept until its answer comes."""
UNKNOWN_CALL: Call = (UNKNOWN_TOOL, {})
_PEEK_LINES = 200
"""Lines in which a transcript says whose it is."""


class Past(Struct, frozen=True, kw_only=True):
    """One session, or the part of one that a helper did for the agent."""

    client: str
    session: str
    moments: Iterable[AgentEvent]
    parent: str = ""
    """The session that a helper worked for."""
    helper: str = ""
    """What sort of helper it was; empty for the session that a person had."""


class Source(Struct, frozen=True, kw_only=True):
    """Where a session and its helpers are written down."""

    name: str
    stamp: str
    """Another one means that something was written since."""
    touched: int
    """When something was last written, in epoch milliseconds."""
    read: Callable[[], Iterable[Past]]


def source_of(read: Callable[[], Iterable[Past]], path: Path, *helpers: Path) -> Source:
    """Return the session that is written down in a file, with what its helpers did in others."""
    mark, touched_at = _stamp(path, *helpers)
    return Source(name=str(path), stamp=mark, touched=touched_at, read=read)


def objects(path: Path) -> Iterator[dict[str, object]]:
    """Hand out the objects of a file, one a line; the last line may be half written."""
    with _open_file(path) as file:
        while line := file.readline(LONGEST + 1):
            if len(line) > LONGEST:
                while line and not line.endswith(b"\n"):
                    line = file.readline(LONGEST)
                continue
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(value, dict):
                yield value


def leading(path: Path) -> Iterator[dict[str, object]]:
    """Hand out the first objects of a file; none where it cannot be read."""
    try:
        for number, value in enumerate(objects(path)):
            if number == _PEEK_LINES:
                return
            yield value
    except OSError:
        return


def _stamp(*paths: Path) -> tuple[str, int]:
    """Return what changes with files, and when the last of them was written, in epoch milliseconds.

    Of one that is gone, or a link to nothing, that is nothing: who reads it says so, and the others are read.
    """
    statuses = [status for path in paths if (status := _stat(path))]
    marks = ";".join(f"{status.st_size}:{status.st_mtime_ns}" for status in statuses)
    return marks, max((status.st_mtime_ns for status in statuses), default=0) // 1_000_000


def _stat(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None


def _open_file(path: Path) -> BinaryIO:
    handle = open_handle(path, os.O_RDONLY | NO_WAIT)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(f"{path} is no plain file")
    return os.fdopen(handle, "rb")
