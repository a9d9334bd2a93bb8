"""Memory moved between a file and a server, a project's and the user's: everything of one store into another,
whatever their backends.

Lives here: the order in which things go over, and the proof that they all arrived. What is moved from stays as it
is. A move can be interrupted at any point and done again: what is there already is passed over.
"""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from holdfast.capture.sessions.harvest import skipped_fact
from holdfast.errors import InvalidInput, StoreError, SwitchedOff
from holdfast.machine.environment import SystemClock
from holdfast.model.kinds import SCOPES
from holdfast.model.records import Counts
from holdfast.model.session import Session
from holdfast.model.upkeep import LEFT, SHRINKING
from holdfast.model.vectors import MEMORY, TURN
from holdfast.ports import Memories, Progress, Sessions, Store, Turns
from holdfast.service.forget import FORGETTING
from holdfast.storage.open import open_end
from holdfast.storage.postgres import ServerStore
from holdfast.storage.workspace import EMBEDDED_TENANT, find_workspace

PAGE = 500
"""Rows that go over in one transaction."""

_NO_LIMIT = 1_000_000
"""More than a store keeps of what it prunes by itself: events of the log, looks, receipts."""

_FACTS = ("believed_at", "doubted_since", "fading", SHRINKING, LEFT, FORGETTING)
"""What upkeep noted and another store can go on with; how far it came in one's rows means nothing in another."""


class _Row(Protocol):
    """What is handed out in pages."""

    @property
    def id(self) -> str: ...


R = TypeVar("R", bound=_Row)

WatchScope = Callable[[str, int], contextlib.AbstractContextManager[Progress]]
"""Show the progress of a scope that has so many steps."""


class TransferReport(Struct, frozen=True, kw_only=True):
    """What a transfer moved, and what both stores hold now."""

    moved: int
    counts: Counts


def extent(store: Store, now: int) -> int:
    """Return how many steps a transfer of this store has."""
    counts = store.counts(now)
    return counts.sessions + 2 * counts.turns + 2 * store.upkeep.memories()


def transfer(source: Store, target: Store, tenant: str, now: int, progress: Progress) -> TransferReport:
    """Copy everything; raise when the target holds something else, or when not all of it arrived."""
    _check_target(source, target)
    moved_rows = 0
    for step in (_sessions(source, target, tenant), _turns(source, target), _memories(source, target, tenant)):
        for seen_rows, fresh in step:
            moved_rows += fresh
            progress(seen_rows)
    for sessions in _pages(source.sessions.walk):
        for session in sessions:
            _copy(partial(source.findings.of, session.id), target.findings.put, target)
    _copy(source.conflicts.walk, target.conflicts.record, target)
    _copy(source.proposals.walk, target.proposals.put, target)
    for seen_rows in _vectors(source, target):
        progress(seen_rows)
    _records(source, target)
    _habits(source, target)
    here, there = _figures(target, now), _figures(source, now)
    if here != there:
        raise StoreError(path=target.state().place, problem=f"not everything arrived: {there} became {here}")
    return TransferReport(moved=moved_rows, counts=target.counts(now))


def _figures(store: Store, now: int) -> tuple[object, ...]:
    """Return what two stores that hold the same agree on."""
    receipts = len(store.receipts.recent(_NO_LIMIT))
    return store.counts(now), store.upkeep.totals(), len(store.aliases.all()), receipts, store.vectors.waiting()


def _check_target(source: Store, target: Store) -> None:
    """Refuse a target that holds what the source does not: the two would be mixed."""
    strange = {
        "memories": any(len(source.memories.get(ids)) < len(ids) for ids in _ids(target.memories)),
        "turns": any(len(source.turns.get(ids)) < len(ids) for ids in _ids(target.turns)),
        "sessions": any(
            source.sessions.get(session_id) is None for ids in _ids(target.sessions) for session_id in ids
        ),
        "tombstones": _forgot_more(source, target),
        "events": _arrived_events(source, target) is None,
    }
    for kind, is_strange in strange.items():
        if is_strange:
            problem = f"{target.state().place} holds other {kind} already; take an empty one."
            raise InvalidInput(field="target", problem=problem)


def _ids(rows: Memories | Sessions | Turns) -> Iterator[list[str]]:
    for page in _pages(rows.walk):
        yield [row.id for row in page]


def _pages(walk: Callable[[str | None, int], Sequence[R]]) -> Iterator[Sequence[R]]:
    """Hand out all rows of a table, a transaction's worth at a time."""
    after = None
    while page := walk(after, PAGE):
        after = page[-1].id
        yield page


def _forgot_more(source: Store, target: Store) -> bool:
    """Say whether the target forgot what the source does not know of: its marks would be lost."""
    here, there = source.tombstones.sealed(), target.tombstones.sealed()
    return bool(there.marks) and (here.key != there.key or not there.marks <= here.marks)


def _arrived_events(source: Store, target: Store) -> int | None:
    """Return how many of the source's events are in the target; None when it has others."""
    there = target.audit.events(_NO_LIMIT)
    oldest = source.audit.events(_NO_LIMIT)[::-1][: len(there)] if there else []
    return len(there) if there[::-1] == oldest else None


def _sessions(source: Store, target: Store, tenant: str) -> Iterator[tuple[int, int]]:
    for page in _pages(source.sessions.walk):
        fresh = [session for session in page if target.sessions.get(session.id) is None]
        with target.writing():
            for session in fresh:
                target.sessions.insert(replace(_without_turn_counts(source, session), tenant=tenant))
                if (skipped := source.upkeep.fact(skipped_fact(session.id))) is not None:
                    target.upkeep.note(skipped_fact(session.id), skipped)
        yield len(page), len(fresh)


def _without_turn_counts(source: Store, session: Session) -> Session:
    """Return a session before its turns that are still there: the target counts those when they arrive."""
    turns = tools = 0
    for page in _pages(partial(source.turns.following, session.id)):
        turns += len(page)
        tools += sum(turn.tool is not None for turn in page)
    return replace(session, turns=session.turns - turns, tool_calls=session.tool_calls - tools)


def _turns(source: Store, target: Store) -> Iterator[tuple[int, int]]:
    for page in _pages(source.turns.walk):
        known_ids = {turn.id for turn in target.turns.get([turn.id for turn in page])}
        fresh = [turn for turn in page if turn.id not in known_ids]
        with target.writing():
            target.turns.insert(fresh)
        yield len(page), len(fresh)


def _memories(source: Store, target: Store, tenant: str) -> Iterator[tuple[int, int]]:
    for page in _pages(source.memories.walk):
        known_ids = {memory.id for memory in target.memories.get([memory.id for memory in page])}
        fresh = [replace(memory, tenant=tenant) for memory in page if memory.id not in known_ids]
        with target.writing():
            target.memories.insert(fresh)
        yield len(page), len(fresh)


def _copy(
    walk: Callable[[str | None, int], Sequence[R]], write: Callable[[Sequence[R]], object], target: Store
) -> None:
    for page in _pages(walk):
        with target.writing():
            write(page)


def _vectors(source: Store, target: Store) -> Iterator[int]:
    """Vectors that wait in the source wait in the target."""
    model = source.vectors.model()
    if model is None:
        return
    if target.vectors.model() != model:
        with target.writing():
            target.vectors.switch(model)
    for page in _pages(source.memories.walk):
        yield _vectors_of(source, target, MEMORY, [memory.id for memory in page])
    for turns in _pages(source.turns.walk):
        yield _vectors_of(source, target, TURN, [turn.id for turn in turns])


def _vectors_of(source: Store, target: Store, kind: str, ids: list[str]) -> int:
    model = source.vectors.model()
    stored_vectors = source.vectors.kept(kind, ids)
    with target.writing():
        if model and stored_vectors:
            target.vectors.put(kind, model, stored_vectors, None)
    return len(ids)


def _records(source: Store, target: Store) -> None:
    """What was forgotten, done and looked at; looks go over whole or not at all."""
    with target.writing():
        if _forgot_more(source, target):
            problem = "something was forgotten there meanwhile; take an empty one"
            raise StoreError(path=target.state().place, problem=problem)
        seals = source.tombstones.sealed()
        if target.tombstones.sealed() != seals:
            target.tombstones.adopt(seals)
    events = source.audit.events(_NO_LIMIT)[::-1][_arrived_events(source, target) or 0 :]
    for start in range(0, len(events), PAGE):
        with target.writing():
            for event in events[start : start + PAGE]:
                target.audit.record(event)
    if not target.accesses.recent(1):
        with target.writing():
            target.accesses.record(source.accesses.recent(_NO_LIMIT)[::-1])


def _habits(source: Store, target: Store) -> None:
    """What is said for what, what went into briefs, which entries of spools came in, what upkeep knows."""
    with target.writing():
        for word, meanings in source.aliases.all().items():
            for meaning in meanings:
                target.aliases.add(word, meaning)
        for spool, sequence, at in source.spooled.noted():
            target.spooled.claim(spool, sequence, at)
        if not target.receipts.recent(1):
            texts = source.receipts.texts()
            for receipt in reversed(source.receipts.recent(_NO_LIMIT)):
                target.receipts.record(receipt, texts.get(receipt.id))
        for name in _FACTS:
            fact = source.upkeep.fact(name)
            if fact is not None:
                target.upkeep.note(name, fact)
        target.vectors.note_failure(source.vectors.failure())
        target.upkeep.resume(source.upkeep.totals())


class MoveReport(Struct, frozen=True, kw_only=True):
    """What a scope's move came to. The counts are those of both ends, and were compared."""

    scope: str
    source: str
    target: str
    moved: int
    """Rows that this run moved; those of an earlier one that was interrupted are not among them."""
    counts: Counts


class Move(Struct, frozen=True):
    """A move of a directory's project to a server, or back from there."""

    directory: Path
    host: ServerStore
    back: bool

    def run(self, watch: WatchScope, *, user: bool) -> list[MoveReport]:
        """Move the project's memory and, where wanted, the user's own."""
        reason = find_workspace(self.directory).off()
        if reason:
            raise SwitchedOff(reason=reason)
        return [move for scope in SCOPES[: 2 if user else 1] if (move := self._scope(scope, watch))]

    def _scope(self, scope: str, watch: WatchScope) -> MoveReport | None:
        own, clock = scope != "project", SystemClock()
        here, there = (self.host, None) if self.back else (None, self.host)
        with contextlib.ExitStack() as stack:
            source = open_end(self.directory, here, user=own, create=False, clock=clock)
            if source is None and not own:
                place = self.host.place if self.back else find_workspace(self.directory).embedded.place
                raise InvalidInput(
                    field="--from" if self.back else "--to", problem=f"nothing is at {place} to move."
                )
            if source is None:
                return None
            stack.callback(source.close)
            target = open_end(self.directory, there, user=own, create=True, clock=clock)
            if target is None:
                raise InvalidInput(field="scope", problem="there is no store for user scope here.")
            stack.callback(target.close)
            return self._move_scope(scope, source, target, watch, clock.now())

    def _move_scope(self, scope: str, source: Store, target: Store, watch: WatchScope, now: int) -> MoveReport:
        tenant = EMBEDDED_TENANT if self.back else self.host.tenant
        with watch(scope, extent(source, now)) as progress:
            outcome = transfer(source, target, tenant, now, progress)
        places = source.state().place, target.state().place
        return MoveReport(
            scope=scope, source=places[0], target=places[1], moved=outcome.moved, counts=outcome.counts
        )
