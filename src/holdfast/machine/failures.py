"""The one log of what failed while an agent was waiting: nobody was told, so it is written down. Light.

A hook or a brief that fails must not fail the agent. It leaves an entry here instead; `holdfast status` shows the
last one of a project, `holdfast doctor` those of the last days. One JSON object a line in `failures.log` of the
user's data directory, or, where that cannot be written, in a folder of the user's own among the temporary files.
Texts of payloads, memories and prompts never get in: only what was tried, and what an error of ours or of the
system says; of any other only its name and place are kept, because its words may be anybody's.
"""

import contextlib
import json
import os
import time

from holdfast.machine import paths
from holdfast.machine.disk import NO_LINK, open_handle

NAME = "failures.log"
MOST_BYTES = 128_000
"""Then the log is put aside as `failures.log.1`, and a new one begins."""

_MOST_CHARS = 400
_DAY_MS = 86_400_000
_process_facts: dict[str, object] = {}


def describe_process(**facts: object) -> None:
    """Say what a short-lived process is about; each of its entries will."""
    _process_facts.update(facts)


def leave(step: str, project: str, problem: BaseException | str, **facts: object) -> str:
    """Note that a step failed in a project, if that is known; return what was noted. Never raises."""
    description = _short(problem if isinstance(problem, str) else describe(problem))
    entry: dict[str, object] = {"at": int(time.time() * 1000), "step": step, "problem": description}
    entry |= {name: _short(fact) for name, fact in (_process_facts | facts).items() if fact not in ("", None)}
    if project:
        entry["project"] = _flat(project)
    line = json.dumps(entry, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
    for folder in _folders():
        try:
            _append(folder, line)
        except (OSError, ValueError):
            continue
        break
    return str(description)


def leave_once(step: str, project: str, problem: str) -> None:
    """Note that a step failed, unless that very thing was noted within a day: every process would say it anew."""
    since = int(time.time() * 1000) - _DAY_MS
    if _short(problem) not in {known_problem for _, _, known_problem in failures(project, since=since)}:
        leave(step, project, problem)


def last(*projects: str) -> tuple[int, str, str] | None:
    """Return when something last failed in a project, which step, and the problem; None when nothing did."""
    return next(iter(failures(*projects)), None)


def failures(*projects: str, since: int = 0) -> list[tuple[int, str, str]]:
    """Return what failed in a project, however it is named, since a moment, newest first.

    What failed before it was known in which project counts in each.
    """
    names = {_flat(project) for project in projects} | {""}
    entries = [entry for entry in _entries() if entry[0] >= since and entry[3] in names]
    newest_first = sorted(enumerate(entries), key=lambda pair: (-pair[1][0], -pair[0]))  # of one moment, the later
    return [entry[:3] for _, entry in newest_first]


def describe(error: BaseException) -> str:
    """Say what went wrong without the words of whoever spoke: an error's text may hold them."""
    from holdfast.errors import HoldfastError

    name = type(error).__name__
    if isinstance(error, HoldfastError):
        return f"{name}: {error}"
    if isinstance(error, OSError):
        return f"{name}: {error.strerror}"
    where = error.__traceback__
    while where is not None and where.tb_next is not None:
        where = where.tb_next
    return f"{name} in {where.tb_frame.f_code.co_name}, line {where.tb_lineno}" if where else name


def _entries() -> list[tuple[int, str, str, str]]:
    """Return every entry that can be read, oldest first in each file."""
    entries = []
    for line in (line for folder in _folders() for end in (".1", "") for line in _lines(folder, NAME + end)):
        try:
            entry = json.loads(line)
            step, problem, project = (str(entry.get(name, "")) for name in ("step", "problem", "project"))
            entries.append((int(entry["at"]), step, problem, project))
        except (ValueError, TypeError, KeyError, AttributeError):
            continue  # somebody garbled it, or a process was ended while it wrote
    return entries


def _lines(folder: str, name: str) -> list[str]:
    try:
        with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
            return file.readlines()
    except (OSError, ValueError):
        return []


def _folders() -> list[str]:
    user = getattr(os, "getuid", lambda: "user")()
    temporary = os.environ.get("TMPDIR") or os.environ.get("TEMP") or "/tmp"  # noqa: S108 - a folder of one's own
    own = f"{temporary}/holdfast-{user}"
    return [folder for folder in (paths.data_directory(), own) if os.path.isabs(folder)]


def _append(folder: str, line: bytes) -> None:
    paths.make_private(folder)
    if hasattr(os, "getuid") and os.stat(folder).st_uid != os.getuid():
        raise PermissionError(folder)  # somebody else's folder of that name
    path = os.path.join(folder, NAME)
    handle = open_handle(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | NO_LINK)
    try:
        os.write(handle, line)
        full = os.fstat(handle).st_size > MOST_BYTES
    finally:
        os.close(handle)
    if full:
        _put_aside(path)


def _put_aside(path: str) -> None:
    """Begin a new log; where somebody reads this one just now and Windows refuses, the next entry tries again."""
    with contextlib.suppress(PermissionError):
        os.replace(path, path + ".1")


def _short(fact: object) -> object:
    return _flat(fact)[:_MOST_CHARS] if isinstance(fact, str) else fact


def _flat(text: str) -> str:
    return " ".join(text.split())
