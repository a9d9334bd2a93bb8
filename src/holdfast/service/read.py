"""Reading in full: the read is counted; a person's confirms what an agent said once it has stood for a day."""

import contextlib
from collections.abc import Callable, Sequence

from holdfast.capture.precedence import after_read
from holdfast.errors import StoreBusy, StoreTooNew, StoreUnreachable, StoreUnwritable
from holdfast.model.actor import Actor
from holdfast.model.limits import PATIENCE_MS
from holdfast.model.memory import Memory
from holdfast.model.records import Event
from holdfast.ports import Clock, Store
from holdfast.stores.retry import again


class MemoryReader:
    """What counts reads."""

    def __init__(self, clock: Clock, actor: Actor, off: Callable[[], str | None]) -> None:
        self._clock = clock
        self._actor = actor
        self._off = off

    def read(self, store: Store, ids: Sequence[str]) -> list[Memory]:
        """Return memories and count the read; when the store cannot be written, reading still works."""
        memories = store.memories.get(ids)
        if memories and not self._off():
            with contextlib.suppress(StoreBusy, StoreUnwritable, StoreTooNew, StoreUnreachable):
                return self._count_reads(store, [memory.id for memory in memories])
        return memories

    @again
    def _count_reads(self, store: Store, ids: Sequence[str]) -> list[Memory]:
        now = self._clock.now()
        with store.writing(PATIENCE_MS):
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
