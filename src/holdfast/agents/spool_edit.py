"""Changing what waits in a spool, for what was forgotten: the only thing that rewrites its files.

Whoever drains must not be at it meanwhile: it holds what it read in memory. Open files are sealed first, so that
no hook appends to what is being rewritten. Entries keep their places, because a sealed file and a line in it name
one entry for good.
"""

import contextlib
import json
import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from holdfast.agents import spool
from holdfast.machine import durable

if TYPE_CHECKING:
    from holdfast.agents.spool import Entry

Change = Callable[["Entry"], "Entry"]


class BeingDrained(Exception):
    """Somebody takes the spool in just then, and went on longer than one could wait."""


def edit(root: str, change: Change, seconds: float) -> None:
    """Put what `change` makes of each entry in its place, in every file of a project's spool.

    A line that is no entry was torn by a kill, or is nested too deeply: nobody can read it, and it goes.
    """
    folder = spool.folder_of(root)
    if not os.path.isdir(folder):
        return
    with _hold_draining(folder, seconds):
        spool.seal(folder)
        for path in spool.paths(folder):
            if not path.endswith(spool.OPEN):  # a hook began it since
                _edit_file(path, change)


def entries(root: str) -> Iterator["Entry"]:
    """Yield everything that waits in a project's spool, and what was set aside there."""
    for path in spool.paths(spool.folder_of(root)):
        with contextlib.suppress(FileNotFoundError):  # drained just now
            yield from (entry for _, entry in spool.entries(path))


@contextlib.contextmanager
def _hold_draining(folder: str, seconds: float) -> Iterator[None]:
    handle = spool.hold(folder, spool.DRAINING, seconds)
    if handle is None:
        raise BeingDrained(folder)
    try:
        yield
    finally:
        os.close(handle)


def _edit_file(path: str, change: Change) -> None:
    """Rewrite one file that nobody else changes meanwhile."""
    with open(path, "rb") as file:
        raw = file.read()
    lines = [_change_line(line, change) for line in raw.split(b"\n")]
    if b"\n".join(lines) != raw:
        durable.replace_file(path, b"\n".join(lines))


def _change_line(line: bytes, change: Change) -> bytes:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return b""
    if not isinstance(entry, dict):
        return b""
    after = change(entry)
    return line if after == entry else spool.line_of(after)
