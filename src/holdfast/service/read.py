"""Reading in full: the read is counted; a person's confirms what an agent said once it has stood for a day."""

import contextlib
from collections.abc import Callable, Iterable, Sequence

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

    def read_all(self, stores: Iterable[Store], ids: Sequence[str]) -> dict[str, Memory]:
        """Return memories by their ids, from whichever store has them."""
        memories: dict[str, Memory] = {}
        for store in stores:
            missing_ids = [memory_id for memory_id in ids if memory_id not in memories]
            memories |= {memory.id: memory for memory in self.read(store, missing_ids)}
            if all(memory_id in memories for memory_id in ids):
                break
        return memories

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
