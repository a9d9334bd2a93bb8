"""Following a source that changes: what a file says now, against what it said before.

What it still says stays, what is new is remembered, and what it no longer says goes. When the file itself is gone
its words are only hidden, until it is back: another branch may hold it. A memory that others said too, or that a
person confirmed, belongs to more than the file: it only lets go of it.

The memories themselves are the record of what was read: their source, their files, and the hash each file had.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass, field

from holdfast.capture.prepare import Desk
from holdfast.capture.reconcile import Incoming
from holdfast.capture.remember import remember
from holdfast.model.kinds import CANDIDATE, IMPORTED
from holdfast.model.memory import Memory
from holdfast.model.records import Event
from holdfast.model.value import Value, replace
from holdfast.ports import Store

ABSENT = "absent"
"""Set in the metadata of what is hidden because its file is gone."""


class Place(Value):
    """Where a source speaks: a file, and the hash of what it holds; None when it is gone."""

    source: str
    file: str
    digest: str | None


@dataclass(slots=True)
class Followed:
    """What following did."""

    added: int = 0
    removed: int = 0
    hidden: int = 0
    shown: int = 0
    """Of what was hidden, what shows again."""
    changed: list[Memory] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    """The ids of what was added."""


def is_read(memories: Sequence[Memory], place: Place) -> bool:
    """Say whether a file was read as it is now: everything that is remembered of it carries its hash."""
    current = [one for one in memories if not one.superseded]
    return bool(current) and all(
        ABSENT not in one.metadata and one.file_hashes.get(place.file) == place.digest for one in current
    )


class Words(Value):
    """What a file says now, prepared, and the ids of what it said before."""

    now: Sequence[Memory]
    before: Sequence[str]


def follow(store: Store, said: Words, place: Place, desk: Desk, barred: Set[str]) -> Followed:
    """Bring memory in line with what a file says now; to be called inside a transaction."""
    done = Followed()
    before = {memory.fingerprint: memory for memory in store.memories.get(said.before)}
    words = {memory.fingerprint: memory for memory in said.now}
    elsewhere = store.memories.saying(desk.origin.project, [one for one in words if one not in before])
    new = []
    for mark, memory in words.items():
        kept = before.pop(mark, None) or _of_source(elsewhere.get(mark), place)
        if kept:
            _keep(kept, place, done)
        else:
            new.append(Incoming(memory))
    for memory in before.values():
        _let_go(memory, place, desk.now, done)
    _write(store, place, desk, done)
    results = remember(store, new, desk, barred) if new else []
    done.new.extend(result.id for result in results if result.created and result.id)
    done.added = len(done.new)
    return done


def _of_source(memory: Memory | None, place: Place) -> Memory | None:
    """Return a memory that another file of the same source says already."""
    return memory if memory and place.source in memory.sources else None


def _keep(memory: Memory, place: Place, done: Followed) -> None:
    """Note that a file says this, as it is now; what was hidden shows again."""
    if memory.superseded or place.digest is None:
        return
    files = memory.files if place.file in memory.files else (*memory.files, place.file)
    kept = replace(memory, files=files, file_hashes={**memory.file_hashes, place.file: place.digest})
    if ABSENT in memory.metadata:
        metadata = {name: value for name, value in memory.metadata.items() if name != ABSENT}
        kept = replace(kept, expires=None, metadata=metadata)
        done.shown += 1
    if kept != memory:
        done.changed.append(kept)


def _let_go(memory: Memory, place: Place, now: int, done: Followed) -> None:
    """Remove what only this file said, or hide it while the file is gone; from anything else take the file."""
    if memory.superseded or (ABSENT in memory.metadata and place.digest is None):
        return
    if not _is_ours(memory, place):
        files = tuple(file for file in memory.files if file != place.file)
        hashes = {file: digest for file, digest in memory.file_hashes.items() if file != place.file}
        done.changed.append(replace(memory, files=files, file_hashes=hashes))
    elif place.digest is None:
        done.hidden += 1
        done.changed.append(replace(memory, expires=now, metadata={**memory.metadata, ABSENT: True}))
    else:
        done.removed += 1
        done.gone.append(memory.id)


def _is_ours(memory: Memory, place: Place) -> bool:
    """Say whether nobody but this file said it, and nobody vouched for it."""
    return (
        memory.sources == (place.source,)
        and memory.files == (place.file,)
        and memory.trust == IMPORTED
        and memory.status == CANDIDATE
    )


def _write(store: Store, place: Place, desk: Desk, done: Followed) -> None:
    detail = {"source": place.source}
    if done.changed:
        ids = tuple(memory.id for memory in done.changed)
        store.audit.record(Event(action="update", actor=desk.actor.name, at=desk.now, ids=ids, detail=detail))
    for memory in done.changed:
        store.memories.replace(replace(memory, updated_at=desk.now))
    if done.gone:
        ids = tuple(done.gone)
        store.audit.record(Event(action="remove", actor=desk.actor.name, at=desk.now, ids=ids, detail=detail))
        store.memories.delete(ids)
