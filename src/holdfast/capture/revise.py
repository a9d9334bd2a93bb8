"""How a memory changes when something else is said: merged, retired, reinstated; and what a person says about a
conflict: which side holds, or that both do.
"""

from holdfast.capture.precedence import may_enrich, said_again
from holdfast.errors import InvalidInput
from holdfast.model.memory import BOTH, Conflict, Memory
from holdfast.model.records import Event
from holdfast.model.value import replace
from holdfast.ports import Store
from holdfast.stores.retry import again

REPETITION_BONUS = 0.1
"""What being said again adds to importance."""


def merge(memory: Memory, incoming: Memory, now: int) -> Memory:
    """Return the kept memory after the same was said again: more important, better sourced, renewed."""
    trust, status = said_again(memory, incoming)
    repeated_memory = replace(
        memory,
        importance=min(1.0, round(memory.importance + REPETITION_BONUS, 6)),
        trust=trust,
        status=status,
        sources=_union(memory.sources, incoming.sources),
        updated_at=now,
        renewed_at=now,
    )
    return _enrich(repeated_memory, incoming) if may_enrich(memory, incoming) else repeated_memory


def _enrich(memory: Memory, incoming: Memory) -> Memory:
    return replace(
        memory,
        tags=_union(memory.tags, incoming.tags),
        files=_union(memory.files, incoming.files),
        file_hashes={**memory.file_hashes, **incoming.file_hashes},
        expires=_later(memory.expires, incoming.expires),
    )


def retire(old: Memory, new: Memory) -> Memory:
    """Return the old memory as history: the new one took its place."""
    if old.id == new.id:
        raise InvalidInput(field="supersedes", problem="a memory cannot take its own place.")
    if new.superseded:
        raise InvalidInput(field="new", problem=f"memory {new.id} is history itself. Name what took its place.")
    refuse_history(old)
    return replace(old, valid_until=max(old.valid_from, new.valid_from), superseded_by=new.id)


def refuse_history(old: Memory) -> None:
    """Refuse to retire what is history already."""
    if old.superseded:
        successor = f"; {old.superseded_by} took its place" if old.superseded_by else ""
        raise InvalidInput(field="supersedes", problem=f"memory {old.id} is history already{successor}.")


def reinstate(old: Memory, now: int) -> Memory:
    """Return a memory from history as one that holds; what took its place stays as it is."""
    if not old.superseded:
        raise InvalidInput(field="id", problem=f"memory {old.id} holds; nothing took its place.")
    return replace(old, valid_until=None, superseded_by=None, updated_at=now)


def _union(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *second)))


def _later(first: int | None, second: int | None) -> int | None:
    return None if first is None or second is None else max(first, second)


@again
def resolve(store: Store, conflict: Conflict, keep: str, *, actor: str, now: int) -> Conflict:
    """Settle a conflict: the side that is not kept becomes history, superseded by the other."""
    if keep not in (BOTH, conflict.first, conflict.second):
        raise InvalidInput(field="keep", problem="must be the id of one of its two memories, or 'both'.")
    settled_conflict = replace(conflict, resolved_at=now, kept=keep)
    with store.writing():
        latest = store.conflicts.get(conflict.id)
        if latest is None or latest.resolved_at is not None:
            raise InvalidInput(field="conflict", problem=f"{conflict.id} is resolved already.")
        store.audit.record(Event(action="resolve", actor=actor, at=now, ids=(conflict.id,), detail={"kept": keep}))
        if keep != BOTH:
            _supersede(store, conflict, keep, actor, now)
        store.conflicts.settle(settled_conflict)
    return settled_conflict


def _supersede(store: Store, conflict: Conflict, keep: str, actor: str, now: int) -> None:
    sides: dict[str, Memory] = {side.id: side for side in store.memories.get([conflict.first, conflict.second])}
    kept_memory, other_memory = sides[keep], sides[conflict.second if keep == conflict.first else conflict.first]
    retired_memory = retire(other_memory, kept_memory)
    store.audit.record(Event(action="supersede", actor=actor, at=now, ids=(other_memory.id, kept_memory.id)))
    store.memories.replace(retired_memory)
