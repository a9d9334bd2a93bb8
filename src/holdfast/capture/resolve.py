"""What a person says about a conflict: which side holds, or that both do."""

from dataclasses import replace

from holdfast.capture.revise import retire
from holdfast.errors import InvalidInput
from holdfast.model.memory import BOTH, Conflict, Memory
from holdfast.model.records import Event
from holdfast.ports import Store
from holdfast.stores.retry import again


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
