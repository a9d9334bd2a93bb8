"""Traces of what failed while an agent was waiting: a few lines in a file, because nobody was told. Light.

A brief or a hook that fails must not fail the agent. It leaves a line here instead, and `holdfast status` shows
the last one. Texts of memories and prompts never get in: only what was tried, and what an error of ours or of the
system says; of any other only its name and place are kept, because its words may be anybody's.
"""

import contextlib
import os
import time

from holdfast import places

MOST_BYTES = 64_000
KEPT_LINES = 200
_MOST_CHARS = 400


def leave(what: str, root: str, error: BaseException) -> str:
    """Note that something failed in a project; return what was noted. Never raises."""
    told = _flat(f"{type(error).__name__}{_told(error)}")[:_MOST_CHARS]
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    line = "\t".join((moment, what, _flat(root), told))
    with contextlib.suppress(OSError, ValueError):
        places.make_private(places.data_directory())
        descriptor = os.open(_file(), os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "a", encoding="utf-8", errors="replace") as file:
            file.write(line + "\n")
            grown = file.tell() > MOST_BYTES
        if grown:
            _trim()
    return told


def last(root: str) -> "tuple[str, str, str] | None":
    """Return when something last failed in a project, what it was, and the error; None when nothing did."""
    for line in reversed(_lines()):
        moment, what, place, told = (*line.rstrip("\n").split("\t"), "", "", "", "")[:4]
        if place == _flat(root):
            return moment, what, told
    return None


def _lines() -> "list[str]":
    try:
        with open(_file(), encoding="utf-8", errors="replace") as file:
            return file.readlines()
    except OSError:
        return []


def _trim() -> None:
    """Keep the newest lines; two that trim at once lose a few of the oldest."""
    kept = _lines()[-KEPT_LINES:]
    spare = f"{_file()}.{os.getpid()}"
    descriptor = os.open(spare, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as file:
        file.writelines(kept)
    os.replace(spare, _file())


def _file() -> str:
    return os.path.join(places.data_directory(), "trace.log")


def _told(error: BaseException) -> str:
    from holdfast.errors import HoldfastError

    if isinstance(error, HoldfastError):
        return f": {error}"
    if isinstance(error, OSError):
        return f": {error.strerror}"
    where = error.__traceback__
    while where is not None and where.tb_next is not None:
        where = where.tb_next
    return f" in {where.tb_frame.f_code.co_name}, line {where.tb_lineno}" if where else ""


def _flat(text: str) -> str:
    return " ".join(text.split())
