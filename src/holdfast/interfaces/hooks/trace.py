"""What hooks leave in a log when something goes wrong, since they never say it to the client. Light.

One JSON object a line in `hooks.log` of the user's data directory, or, where that cannot be written, in a folder
of the user's own among the temporary files. Never a payload, never a text: only what failed, and where.
"""

import json
import os
import time

from holdfast import places

NAME = "hooks.log"
MOST_BYTES = 256 << 10
"""Then the log is put aside as `hooks.log.1`, and a new one begins."""

_FIELD_CHARS = 300


def leave(problem: str, **facts: object) -> None:
    """Note a problem, if that can be done at all."""
    entry = {"at": int(time.time() * 1000), "problem": problem[:_FIELD_CHARS]}
    entry |= {name: _short(fact) for name, fact in facts.items() if fact not in ("", None)}
    line = json.dumps(entry, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
    for folder in _folders():
        try:
            _append(folder, line)
        except OSError:
            continue
        return


def describe(error: BaseException) -> str:
    """Say what went wrong without the words of whoever spoke: an error's text may hold them."""
    from holdfast.errors import HoldfastError

    if isinstance(error, HoldfastError):
        return str(error)
    if isinstance(error, OSError):
        return f"{type(error).__name__}: {error.strerror}"
    where = error.__traceback__
    while where is not None and where.tb_next is not None:
        where = where.tb_next
    place = f" in {where.tb_frame.f_code.co_name}, line {where.tb_lineno}" if where else ""
    return f"{type(error).__name__}{place}"


def _short(fact: object) -> object:
    return fact[:_FIELD_CHARS] if isinstance(fact, str) else fact


def _folders() -> "list[str]":
    user = getattr(os, "getuid", lambda: "user")()
    temporary = os.environ.get("TMPDIR") or os.environ.get("TEMP") or "/tmp"  # noqa: S108 - a folder of one's own
    own = f"{temporary}/holdfast-{user}"
    return [folder for folder in (places.data_directory(), own) if os.path.isabs(folder)]


def _append(folder: str, line: bytes) -> None:
    places.make_private(folder)
    if hasattr(os, "getuid") and os.stat(folder).st_uid != os.getuid():
        raise PermissionError(folder)  # somebody else's folder of that name
    path = os.path.join(folder, NAME)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        os.write(handle, line)
        full = os.fstat(handle).st_size > MOST_BYTES
    finally:
        os.close(handle)
    if full:
        os.replace(path, path + ".1")
