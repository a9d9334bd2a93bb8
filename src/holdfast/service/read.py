"""Reading: memories in full, which is counted, their lists and neighbours; and turns, findings and summaries.

A person's read confirms what an agent said once it has stood for a day. Only the project's store has sessions.
"""

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec.structs import replace

from holdfast.capture.check import check_count, check_kind
from holdfast.capture.precedence import after_read
from holdfast.capture.text.clean import echo
from holdfast.errors import (
    AmbiguousId,
    InvalidInput,
    StoreBusy,
    StoreTooNew,
    StoreUnreachable,
    StoreUnwritable,
)
from holdfast.model.actor import Actor
from holdfast.model.finding import Finding
from holdfast.model.ids import is_full_id, tail_of
from holdfast.model.limits import PATIENCE_MS
from holdfast.model.memory import Memory, TimelineEntry
from holdfast.model.plain import filled
from holdfast.model.records import Event
from holdfast.model.search import Filters
from holdfast.model.session import ENDED, FOUND, SAID, THREAD, Quote, Session, Turn
from holdfast.model.thread import Thread
from holdfast.ports import Clock, Store
from holdfast.service.scopes import Scopes
from holdfast.stores.retry import again


class MemoryReader:
    """What reads memories by id, by time and by their filters."""

    def __init__(self, scopes: Scopes, clock: Clock, actor: Actor, off: Callable[[], str | None]) -> None:
        self._scopes = scopes
        self._clock = clock
        self._actor = actor
        self._off = off

    def get(self, ids: Sequence[str]) -> list[Memory]:
        """Return memories in full, in the order of the ids; each is a read, and unknown ids are left out."""
        full_ids = [full for given_id in ids if (full := self._scopes.full_id(given_id))]
        memories_by_id: dict[str, Memory] = {}
        for store in self._scopes.one_by_one():
            missing_ids = [memory_id for memory_id in full_ids if memory_id not in memories_by_id]
            memories_by_id |= {memory.id: memory for memory in self.read(store, missing_ids)}
            if len(memories_by_id) == len(set(full_ids)):
                break
        return [memories_by_id[memory_id] for memory_id in full_ids if memory_id in memories_by_id]

    def around(self, memory_id: str, window: int) -> list[TimelineEntry]:
        """Return what was remembered just before and after a memory, without full contents."""
        check_count("window", window, 0, 100)
        store, anchor = self._scopes.find(memory_id)
        entries = store.memories.around(anchor, window, Filters(current_at=self._clock.now()))
        home = store.threads.of_memories([memory.id for memory in entries])
        titles = {thread.id: thread.title for thread in store.threads.get(list(dict.fromkeys(home.values())))}
        return [
            replace(TimelineEntry.of(memory, anchor), thread=titles.get(home.get(memory.id, "")))
            for memory in entries
        ]

    def newest(self, filters: Filters, limit: int, scope: str | None) -> list[Memory]:
        """Return memories of one scope, or of both, newest first."""
        check_count("limit", limit, 1, 100_000)
        for kind in filters.kinds:
            check_kind(kind)
        with self._scopes.project.reading():
            memories = [
                memory for store in self._scopes.within(scope) for memory in store.memories.newest(filters, limit)
            ]
        return sorted(memories, key=lambda memory: memory.created_at, reverse=True)[:limit]

    def read(self, store: Store, ids: Sequence[str]) -> list[Memory]:
        """Return memories and count the read; when the store cannot be written, reading still works."""
        if not self._off():
            with contextlib.suppress(StoreBusy, StoreUnwritable, StoreTooNew, StoreUnreachable):
                return self._count_reads(store, ids)
        return store.memories.get(ids)

    @again
    def _count_reads(self, store: Store, ids: Sequence[str]) -> list[Memory]:
        now = self._clock.now()
        with store.writing(PATIENCE_MS):
            ids = [memory.id for memory in store.memories.get(ids)]
            if not ids:
                return []
            store.memories.count_read(ids, now)
            for memory in store.memories.get(ids) if self._actor.person else ():
                self._settle(store, memory, now)
            return store.memories.get(ids)

    def _settle(self, store: Store, memory: Memory, now: int) -> None:
        settled_memory = after_read(memory, now)
        if settled_memory.status != memory.status:
            store.audit.record(Event(action="confirm", actor=self._actor.name, at=now, ids=(memory.id,)))
        if settled_memory is not memory:
            store.memories.replace(settled_memory)


class Quotes:
    """What can be quoted from a project's store."""

    def __init__(self, store: Store, root: Path | None) -> None:
        self._store = store
        self._root = root

    def get(self, ids: Sequence[str]) -> list[Quote]:
        """Return what has these ids, which may be short, in the order asked; unknown ids are left out."""
        return [quote for quote_id in ids if (quote := self._quote(quote_id))]

    def _quote(self, quote_id: str) -> Quote | None:
        if not isinstance(quote_id, str):
            raise InvalidInput(field="ids", problem=f"must be ids as text, not {type(quote_id).__name__}.")
        matches = self._matching_quotes(quote_id.strip().lower())
        if len(matches) > 1:
            raise AmbiguousId(
                field="id", id=echo(quote_id), matches=", ".join(sorted(quote.id for quote in matches))
            )
        return matches[0] if matches else None

    def _matching_quotes(self, quote_id: str) -> list[Quote]:
        store, tail = self._store, tail_of(quote_id)
        if tail is None:
            return []

        def ids_of(ending: Callable[[str], list[str]]) -> list[str]:
            return [quote_id] if is_full_id(quote_id) else ending(tail)

        quotes = [_turn_quote(turn) for turn in store.turns.get(ids_of(store.turns.ending))]
        quotes += [self._finding_quote(finding) for finding in store.findings.get(ids_of(store.findings.ending))]
        sessions = (store.sessions.get(session_id) for session_id in ids_of(store.sessions.ending))
        quotes += [_session_quote(session) for session in sessions if session]
        quotes += [self._thread_quote(thread) for thread in store.threads.get(ids_of(store.threads.ending))]
        return quotes or self._spooled_quotes(tail)

    def _thread_quote(self, thread: Thread) -> Quote:
        """Return a thread as its title and what stands in it, a line each."""
        from holdfast.recall.brief.threads import rows_of, told_statements  # a brief's modules come with it

        rows = rows_of([thread], self._store, thread.at)
        lines = [told.text for _, told in told_statements([thread], *rows)]
        return Quote(
            id=thread.id,
            source=THREAD,
            kind=THREAD,
            content="\n".join((thread.title, *lines)),
            created_at=thread.at,
            session=thread.session,
            files=thread.files,
        )

    def _finding_quote(self, finding: Finding) -> Quote:
        turns = self._store.turns.get([finding.turn])
        return filled(Quote, finding, source=FOUND, role=turns[0].role if turns else None)

    def _spooled_quotes(self, tail: str) -> list[Quote]:
        """Return what other sessions just said and no store has yet."""
        from holdfast.recall.brief.notes import overheard  # a brief's modules come with it

        notes = overheard(str(self._root), None) if self._root else []
        return [
            Quote(id=note.id, source=SAID, kind=note.kind, content=note.text, created_at=note.at, role=note.trust)
            for note in notes
            if note.id.endswith(tail)
        ]


def _turn_quote(turn: Turn) -> Quote:
    return filled(Quote, turn, source=SAID, kind="turn", content=turn.text, created_at=turn.at)


def _session_quote(session: Session) -> Quote:
    return Quote(
        id=session.id,
        source=ENDED,
        kind="session",
        content=session.summary,
        created_at=session.ended_at or session.started_at,
        session=session.id,
        role=session.agent,
    )
