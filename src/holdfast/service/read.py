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


class Reading:
    """What counts reads."""

    def __init__(self, clock: Clock, actor: Actor, off: Callable[[], str | None]) -> None:
        self._clock = clock
        self._actor = actor
        self._off = off

    def read(self, store: Store, ids: Sequence[str]) -> list[Memory]:
        """Return memories and count the read; when the store cannot be written, reading still works."""
        found = store.memories.get(ids)
        if found and not self._off():
            with contextlib.suppress(StoreBusy, StoreUnwritable, StoreTooNew, StoreUnreachable):
                return self._counted(store, [memory.id for memory in found])
        return found

    @again
    def _counted(self, store: Store, ids: Sequence[str]) -> list[Memory]:
        now = self._clock.now()
        with store.writing(PATIENCE_MS):
            store.memories.count_read(ids, now)
            for memory in store.memories.get(ids) if self._actor.person else ():
                self._settle(store, memory, now)
            return store.memories.get(ids)

    def _settle(self, store: Store, memory: Memory, now: int) -> None:
        settled = after_read(memory, now)
        if settled.status != memory.status:
            store.audit.record(Event(action="confirm", actor=self._actor.name, at=now, ids=(memory.id,)))
        if settled is not memory:
            store.memories.replace(settled)
