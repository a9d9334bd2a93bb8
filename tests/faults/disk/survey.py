"""What is left in a home after its disk failed, held against what had been promised."""

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from holdfast import Holdfast
from holdfast.agents import spool
from holdfast.errors import HoldfastError, StoreGone
from holdfast.model.care import PROBLEM
from holdfast.storage.workspace import open_guard
from tests.faults.hostile import ask
from tests.faults.processes import database, inconsistencies


def losses(home: Path, promises: Sequence[str], *, to_the_disk: bool) -> list[str]:
    """Return what is wrong with a home.

    `to_the_disk`: every acknowledged write was synced, so that each must be there. Otherwise the latest may be
    missing, and nothing between two that are there.
    """
    project = home / "project"
    with _at_home(home):
        try:
            return [*_of_store(project, promises, to_the_disk=to_the_disk), *_of_spool(project, promises)]
        except StoreGone:
            open_guard(project, actor="test").restore()
            lost = [
                f"{word} is gone with its store" for word in promises if to_the_disk and word.startswith("memory:")
            ]
            return [*lost, *_of_store(project, (), to_the_disk=to_the_disk)]
        except HoldfastError as error:
            return [f"{type(error).__name__}: {error}"]


@contextlib.contextmanager
def _at_home(home: Path) -> Iterator[None]:
    """Let this process see the home's own data."""
    before = os.environ["HOLDFAST_DATA_HOME"]
    os.environ["HOLDFAST_DATA_HOME"] = str(home / "data")
    try:
        yield
    finally:
        os.environ["HOLDFAST_DATA_HOME"] = before


def _of_store(project: Path, promises: Sequence[str], *, to_the_disk: bool) -> Iterator[str]:
    with Holdfast.open(project) as memory:
        assert memory.add("The store goes on after all that").id
    yield from inconsistencies(project)
    guard = open_guard(project, actor="test")
    yield from (one.message for one in guard.examine().diagnoses if one.severity == PROBLEM)
    yield from _missing(_rows(project), promises, to_the_disk=to_the_disk)
    for backup in guard.backups():
        if ask(Path(backup.path), "PRAGMA integrity_check") != [("ok",)]:
            yield f"{backup.path} is not whole"
    named = [word.removeprefix("backup:") for word in promises if word.startswith("backup:")]
    yield from (f"{path} is gone" for path in named if not Path(path).exists())


def _rows(project: Path) -> set[str]:
    memories = ask(database(project), "SELECT id FROM memory")
    turns = ask(database(project), "SELECT id FROM turn")
    return {f"memory:{row[0]}" for row in memories} | {f"turn:{row[0]}" for row in turns}


def _missing(rows: set[str], promises: Sequence[str], *, to_the_disk: bool) -> Iterator[str]:
    """Yield what is missing though it must not be, and what is there though it was forgotten."""
    begun = {word.removeprefix("forgetting:") for word in promises if word.startswith("forgetting:")}
    kept = [word for word in promises if word.startswith(("memory:", "turn:")) and word[7:] not in begun]
    there = [word in rows for word in kept]
    if to_the_disk:
        yield from (f"{word} is lost" for word, found in zip(kept, there, strict=True) if not found)
        done = [word.removeprefix("forgotten:") for word in promises if word.startswith("forgotten:")]
        yield from (f"{one} came back" for one in done if f"memory:{one}" in rows)
    elif there != sorted(there, reverse=True):
        yield f"what was kept has a gap: {there}"


def _of_spool(project: Path, promises: Sequence[str]) -> Iterator[str]:
    """Yield what hooks were told is on the disk and is neither in the spool nor in the store."""
    waiting = {str(entry.get("text")) for entry in spool.waiting_entries(str(project))}
    taken = {str(row[0]) for row in ask(database(project), "SELECT text FROM turn")}
    heard = [word.removeprefix("heard:").replace("_", " ") for word in promises if word.startswith("heard:")]
    yield from (f"{text!r} was heard and is lost" for text in heard if text not in waiting | taken)
