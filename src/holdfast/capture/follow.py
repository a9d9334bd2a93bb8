"""Following a source that changes: what a file says now, against what it said before.

What it still says stays, what is new is remembered, and what it no longer says goes. When the file itself is gone
its words are only hidden, until it is back: another branch may hold it. A memory that others said too, or that a
person confirmed, belongs to more than the file: it only lets go of it.

The memories themselves are the record of what was read: their source, their files, and the hash each file had.
"""

from collections.abc import Sequence, Set

from msgspec import Struct, field
from msgspec.structs import replace

from holdfast.capture.prepare import WriteContext
from holdfast.capture.reconcile import Incoming, remember
from holdfast.model.kinds import CANDIDATE, IMPORTED
from holdfast.model.memory import Memory
from holdfast.model.records import Event
from holdfast.ports import Store

ABSENT = "absent"
"""Set in the metadata of what is hidden because its file is gone."""


class SourceFile(Struct, frozen=True):
    """Where a source speaks: a file, and the hash of what it holds; None when it is gone."""

    source: str
    file: str
    digest: str | None


class FollowReport(Struct):
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


def is_read(memories: Sequence[Memory], place: SourceFile) -> bool:
    """Say whether a file was read as it is now: everything that is remembered of it carries its hash."""
    current = [memory for memory in memories if not memory.superseded]
    return bool(current) and all(
        ABSENT not in memory.metadata and memory.file_hashes.get(place.file) == place.digest for memory in current
    )


class Words(Struct, frozen=True):
    """What a file says now, prepared, and the ids of what it said before."""

    now: Sequence[Memory]
    before: Sequence[str]


def follow(
    store: Store, file_words: Words, place: SourceFile, desk: WriteContext, barred_prints: Set[str]
) -> FollowReport:
    """Bring memory in line with what a file says now; to be called inside a transaction."""
    report = FollowReport()
    before = {memory.fingerprint: memory for memory in store.memories.get(file_words.before)}
    words = {memory.fingerprint: memory for memory in file_words.now}
    elsewhere = store.memories.saying(desk.origin.project, [mark for mark in words if mark not in before])
    new = []
    for mark, memory in words.items():
        known_memory = before.pop(mark, None) or _of_source(elsewhere.get(mark), place)
        if known_memory:
            _keep(known_memory, place, report)
        else:
            new.append(Incoming(memory))
    for memory in before.values():
        _let_go(memory, place, desk.now, report)
    _write(store, place, desk, report)
    results = remember(store, new, desk, barred_prints) if new else []
    report.new.extend(result.id for result in results if result.created and result.id)
    report.added = len(report.new)
    return report


def _of_source(memory: Memory | None, place: SourceFile) -> Memory | None:
    """Return a memory that another file of the same source says already."""
    return memory if memory and place.source in memory.sources else None


def _keep(memory: Memory, place: SourceFile, report: FollowReport) -> None:
    """Note that a file says this, as it is now; what was hidden shows again."""
    if memory.superseded or place.digest is None:
        return
    files = memory.files if place.file in memory.files else (*memory.files, place.file)
    updated_memory = replace(memory, files=files, file_hashes={**memory.file_hashes, place.file: place.digest})
    if ABSENT in memory.metadata:
        metadata = {name: value for name, value in memory.metadata.items() if name != ABSENT}
        updated_memory = replace(updated_memory, expires=None, metadata=metadata)
        report.shown += 1
    if updated_memory != memory:
        report.changed.append(updated_memory)


def _let_go(memory: Memory, place: SourceFile, now: int, report: FollowReport) -> None:
    """Remove what only this file said, or hide it while the file is gone; from anything else take the file."""
    if memory.superseded or (ABSENT in memory.metadata and place.digest is None):
        return
    if not _is_ours(memory, place):
        files = tuple(file for file in memory.files if file != place.file)
        hashes = {file: digest for file, digest in memory.file_hashes.items() if file != place.file}
        report.changed.append(replace(memory, files=files, file_hashes=hashes))
    elif place.digest is None:
        report.hidden += 1
        report.changed.append(replace(memory, expires=now, metadata={**memory.metadata, ABSENT: True}))
    else:
        report.removed += 1
        report.gone.append(memory.id)


def _is_ours(memory: Memory, place: SourceFile) -> bool:
    """Say whether nobody but this file said it, and nobody vouched for it."""
    return (
        memory.sources == (place.source,)
        and memory.files == (place.file,)
        and memory.trust == IMPORTED
        and memory.status == CANDIDATE
    )


def _write(store: Store, place: SourceFile, desk: WriteContext, report: FollowReport) -> None:
    detail = {"source": place.source}
    if report.changed:
        ids = tuple(memory.id for memory in report.changed)
        store.audit.record(Event(action="update", actor=desk.actor.name, at=desk.now, ids=ids, detail=detail))
    for memory in report.changed:
        store.memories.replace(replace(memory, updated_at=desk.now))
    if report.gone:
        ids = tuple(report.gone)
        store.audit.record(Event(action="remove", actor=desk.actor.name, at=desk.now, ids=ids, detail=detail))
        store.memories.delete(ids)
