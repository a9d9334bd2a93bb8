"""Reading: memories in full, which is counted, and without that the lists, neighbours and histories of them.

A person's read confirms what an agent said once it has stood for a day.
"""

import contextlib
from collections.abc import Callable, Sequence

from holdfast.capture.check import check_count, check_kind
from holdfast.capture.precedence import after_read
from holdfast.errors import StoreBusy, StoreTooNew, StoreUnreachable, StoreUnwritable
from holdfast.model.actor import Actor
from holdfast.model.limits import PATIENCE_MS
from holdfast.model.memory import Memory, TimelineEntry
from holdfast.model.records import Event
from holdfast.model.search import Filters
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

    def peek(self, memory_id: str) -> Memory | None:
        """Return one memory without counting a read."""
        full = self._scopes.full_id(memory_id)
        stores = self._scopes.one_by_one() if full else ()
        return next((memory for store in stores for memory in store.memories.get([str(full)])), None)

    def around(self, memory_id: str, window: int) -> list[TimelineEntry]:
        """Return what was remembered just before and after a memory, without full contents."""
        check_count("window", window, 0, 100)
        store, anchor = self._scopes.find(memory_id)
        entries = store.memories.around(anchor, window, Filters(current_at=self._clock.now()))
        return [TimelineEntry.of(memory, anchor) for memory in entries]

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
