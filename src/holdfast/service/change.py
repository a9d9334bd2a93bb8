"""Where a memory stands: changed, pinned, confirmed, superseded; each one transaction over what is there now."""

from msgspec.structs import replace

from holdfast.capture.permission import ask, proposing
from holdfast.capture.precedence import reinstate, resolve, retire
from holdfast.capture.prepare import NEVER, WriteContext, apply_changes
from holdfast.errors import InvalidInput, PinLimitReached, SameContent, UnknownId
from holdfast.model import kinds, limits
from holdfast.model.actor import Actor
from holdfast.model.inbox import CONFIRM, PIN, REINSTATE, RESOLVE, SUPERSEDE, UNPIN, UPDATE
from holdfast.model.memory import Conflict, Memory
from holdfast.model.records import Event
from holdfast.model.requests import Changes
from holdfast.model.search import Filters
from holdfast.ports import Clock, Store
from holdfast.service.scopes import Scopes
from holdfast.stores.retry import again


class MemoryEditor:
    """What changes a memory that is there."""

    def __init__(self, scopes: Scopes, clock: Clock, actor: Actor) -> None:
        self._scopes = scopes
        self._clock = clock
        self._actor = actor

    @proposing
    @again
    def update(self, memory_id: str, changes: Changes, context: WriteContext) -> Memory:
        """Change fields of a memory."""
        store, memory = self._scopes.find(memory_id)
        with store.writing():
            memory = reread(store, memory.id)
            revision = apply_changes(memory, changes, context)
            if revision.fingerprint != memory.fingerprint:
                _check_content(store, memory, revision, changes)
            new_values = _wanted_values(changes, revision)
            ask(self._actor, UPDATE, memory, at=self._clock.now(), store=store, arguments=new_values)
            self._journal(store, "update", memory.id)
            store.memories.replace(revision)
        return revision

    @proposing
    @again
    def pin(self, memory_id: str) -> Memory:
        """Put a memory into every brief; at most five are."""
        store, found_memory = self._scopes.find(memory_id)
        elsewhere = self._pins_beside(store)
        with store.writing():
            memory = reread(store, found_memory.id)
            if not memory.holds(self._clock.now()):
                raise InvalidInput(field="id", problem=f"memory {memory_id} no longer holds; it cannot be pinned.")
            if memory.status != kinds.PINNED and elsewhere + self._pinned_count(store) >= limits.PINS:
                raise PinLimitReached(limit=limits.PINS)
            ask(self._actor, PIN, memory, at=self._clock.now(), store=store)
            return self._settle(store, memory, "pin", status=kinds.PINNED)

    @proposing
    @again
    def unpin(self, memory_id: str) -> Memory:
        """Take a memory out of the always-carried ones; it stays confirmed."""
        store, found_memory = self._scopes.find(memory_id)
        with store.writing():
            memory = reread(store, found_memory.id)
            if memory.status != kinds.PINNED:
                return memory
            ask(self._actor, UNPIN, memory, at=self._clock.now(), store=store)
            return self._settle(store, memory, "unpin", status=kinds.CONFIRMED)

    @proposing
    @again
    def confirm(self, memory_id: str) -> Memory:
        """Say that a memory holds; it counts as a read and its age starts anew."""
        store, found_memory = self._scopes.find(memory_id)
        now = self._clock.now()
        with store.writing():
            ask(self._actor, CONFIRM, reread(store, found_memory.id), at=now, store=store)
            store.memories.count_read([found_memory.id], now)
            memory = reread(store, found_memory.id)
            status = kinds.PINNED if memory.status == kinds.PINNED else kinds.CONFIRMED
            return self._settle(store, memory, "confirm", status=status, renewed_at=now)

    @proposing
    @again
    def supersede(self, old_id: str, new_id: str) -> Memory:
        """Let one memory take another's place; the old one becomes history."""
        store, old = self._scopes.find(old_id, "old")
        new_store, new = self._scopes.find(new_id, "new")
        if store is not new_store:
            raise InvalidInput(field="new", problem="lives in another scope; add it to the same scope first.")
        with store.writing():
            old, new = reread(store, old.id), reread(store, new.id)
            retired_memory = retire(old, new)
            ask(self._actor, SUPERSEDE, old, at=self._clock.now(), store=store, other=new, touched=False)
            self._journal(store, "supersede", old.id, new.id)
            store.memories.replace(retired_memory)
        return retired_memory

    @proposing
    @again
    def reinstate(self, memory_id: str) -> Memory:
        """Undo a supersession: the memory holds again; what had taken its place stays."""
        store, found_memory = self._scopes.find(memory_id)
        elsewhere = self._pins_beside(store)
        with store.writing():
            old = reread(store, found_memory.id)
            restored_memory = reinstate(old, self._clock.now())
            rival = store.memories.saying(old.project, [old.fingerprint]).get(old.fingerprint)
            if rival:
                raise SameContent(id=rival.id)
            if old.status == kinds.PINNED and elsewhere + self._pinned_count(store) >= limits.PINS:
                raise PinLimitReached(limit=limits.PINS)
            newer = next(iter(store.memories.get([old.superseded_by or ""])), None)
            ask(self._actor, REINSTATE, old, at=self._clock.now(), store=store, other=newer)
            self._journal(store, "supersede", old.id, undone=1)
            if self._actor.person:  # what a person had dropped may be said by others again
                store.tombstones.remove([old.fingerprint])
            store.memories.replace(restored_memory)
        return restored_memory

    @proposing
    @again
    def resolve(self, store: Store, conflict: Conflict, keep: str) -> Conflict:
        """Settle a conflict: keep one of its two memories, and the other becomes history; or keep both."""
        now = self._clock.now()
        with store.writing():
            resolved_conflict = resolve(store, conflict, keep, actor=self._actor.name, now=now)
            first, second = store.memories.get([conflict.first, conflict.second])
            loser, winner = (first, second) if keep != first.id else (second, first)
            arguments = {"conflict": conflict.id, "keep": keep}
            ask(self._actor, RESOLVE, loser, at=now, store=store, other=winner, arguments=arguments)
        return resolved_conflict

    def pins(self) -> int:
        """Count what is pinned, in every scope."""
        return sum(self._pinned_count(store) for store in self._scopes.present)

    def _pins_beside(self, store: Store) -> int:
        return sum(
            self._pinned_count(other_store) for other_store in self._scopes.present if other_store is not store
        )

    def _pinned_count(self, store: Store) -> int:
        filters = Filters(statuses=(kinds.PINNED,), current_at=self._clock.now())
        return len(store.memories.newest(filters, limits.PINS))

    def _settle(self, store: Store, memory: Memory, action: str, **fields: object) -> Memory:
        changed_memory = replace(memory, updated_at=self._clock.now(), **fields)
        self._journal(store, action, memory.id)
        store.memories.replace(changed_memory)
        return reread(store, memory.id)

    def _journal(self, store: Store, action: str, *ids: str, **detail: object) -> None:
        event = Event(action=action, actor=self._actor.name, at=self._clock.now(), ids=ids, detail=detail)
        store.audit.record(event)


def _wanted_values(changes: Changes, revision: Memory) -> dict[str, object]:
    """Return what was to be changed, with the values that would have been kept."""
    names = [name for name in Changes.__struct_fields__ if name != "trust" and getattr(changes, name) is not None]
    values = {name: getattr(revision, name) for name in names}
    if "expires" in values and revision.expires is None:
        values["expires"] = NEVER
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def _check_content(store: Store, memory: Memory, revision: Memory, changes: Changes) -> None:
    """Refuse a text that was forgotten, or that another memory has."""
    if changes.trust != kinds.USER and store.tombstones.standing([revision.fingerprint]):
        raise InvalidInput(field="content", problem="was forgotten; only a person can bring it back.")
    rival = store.memories.saying(memory.project, [revision.fingerprint]).get(revision.fingerprint)
    if rival and rival.id != memory.id and not memory.superseded:
        raise SameContent(id=rival.id)


def reread(store: Store, memory_id: str) -> Memory:
    """Return a memory as it is now, inside the transaction that will change it."""
    for memory in store.memories.get([memory_id]):
        return memory
    raise UnknownId(noun="memory", id=memory_id)
