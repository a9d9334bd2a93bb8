"""What hooks remember of a session from one process to the next: small files beside its spool. Light.

What a session was told is one of them: it is not told twice, nor taken for the agent's own words when repeated.
Losing one costs a second brief or the like, so none of this is written to the disk with care.
"""

import os
import time

from holdfast.agents import spool
from holdfast.agents.injected import sentences
from holdfast.machine.handles import open_handle

DEPTH, TOLD, PROMPTED, STARTED = "depth", "told", "prompted", "started"
FORGETTING = "forgetting"
"""Set from a command to forget to the next prompt."""

MOST_TOLD = 65_536


def first(folder: str, name: str, mark: str, within: "float | None" = None) -> bool:
    """Set a mark; say whether this process is the first to, ever or within the last so many seconds."""
    path = _path(folder, name, mark)
    try:
        os.close(open_handle(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    except FileExistsError:
        pass
    else:
        return True
    if within is None:
        return False
    try:
        old = time.time() - os.stat(path).st_mtime > within
        if old:
            os.utime(path)
    except OSError:
        return False
    return old


def read(folder: str, name: str, mark: str) -> str:
    """Return what a mark says; empty where there is none."""
    try:
        with open(_path(folder, name, mark), encoding="utf-8") as file:
            return file.read(MOST_TOLD)
    except (OSError, UnicodeDecodeError):
        return ""


def write(folder: str, name: str, mark: str, text: str) -> None:
    """Let a mark say something else."""
    with open(_path(folder, name, mark), "w", encoding="utf-8", opener=_open_mark) as file:
        file.write(text)


def add(folder: str, name: str, mark: str, text: str) -> None:
    """Let a mark say something more."""
    with open(_path(folder, name, mark), "a", encoding="utf-8", opener=_open_mark) as file:
        file.write(text)


def drop(folder: str, name: str, mark: str) -> None:
    """Take a mark away."""
    try:
        os.unlink(_path(folder, name, mark))
    except OSError:
        return


def _open_mark(path: str, flags: int) -> int:
    return open_handle(path, flags)  # whatever the umask: what was told is nobody else's


def clear(folder: str, name: str) -> None:
    """Forget a session."""
    for entry in os.listdir(folder):
        if entry.startswith(f"{name}.") and not entry.endswith(spool.OPEN):
            try:
                os.unlink(os.path.join(folder, entry))
            except OSError:
                continue


def _path(folder: str, name: str, mark: str) -> str:
    return os.path.join(folder, f"{name}.{mark}")


def depth_of(folder: str, name: str) -> int:
    """Return how many private blocks are open in a session."""
    text = read(folder, name, DEPTH)
    return int(text) if text.isdigit() else 0


def note_told(folder: str, name: str, ids: "list[str]", texts: "list[str]") -> None:
    """Remember that a session was told these entries."""
    lines = [f"id {entry_id}" for entry_id in ids]
    lines += [f"said {sentence}" for text in texts for sentence in sentences(text)]
    add(folder, name, TOLD, "".join(f"{line}\n" for line in lines))


def begin_anew(folder: str, name: str) -> None:
    """Forget what a session was told: its context was cleared or compacted. What it may repeat is still known.

    Its next prompt is a first one again, for the agent as for the floors of a brief.
    """
    texts = sorted(told_echoes(folder, name))
    write(folder, name, TOLD, "".join(f"said {text}\n" for text in texts))
    drop(folder, name, PROMPTED)


def told_ids(folder: str, name: str) -> "frozenset[str]":
    """Return the short ids of what a session was told."""
    return _told_lines(folder, name, "id ")


def told_echoes(folder: str, name: str) -> "frozenset[str]":
    """Return the fingerprints of the sentences that a session was told."""
    return _told_lines(folder, name, "said ")


def _told_lines(folder: str, name: str, lead: str) -> "frozenset[str]":
    text = read(folder, name, TOLD)
    return frozenset(line.removeprefix(lead) for line in text.splitlines() if line.startswith(lead))
