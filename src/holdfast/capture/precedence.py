"""Who says it decides how far it is believed: trust, and the status that trust begins with.

The one place for these rules, and for what becomes of a memory when another takes its place. Nothing that comes
from an agent raises trust.
"""

from msgspec.structs import replace

from holdfast.errors import InvalidInput
from holdfast.model.kinds import (
    AGENT,
    CANDIDATE,
    CONFIRMED,
    IMPORTED,
    PINNED,
    PROMOTED,
    READ_BY_PERSON,
    STATUSES,
    TOOL,
    USER,
)
from holdfast.model.limits import QUARANTINE_MS
from holdfast.model.memory import BOTH, Conflict, Memory
from holdfast.model.records import Event
from holdfast.ports import Store
from holdfast.stores.retry import again

TRUST_RANK = (TOOL, IMPORTED, AGENT, USER)
"""From the least believed to the most."""


def first_status(trust: str) -> str:
    """Return the status a new memory starts with: only a person's word is confirmed at once."""
    return CONFIRMED if trust == USER else CANDIDATE


def said_again(memory: Memory, incoming: Memory) -> tuple[str, str]:
    """Return the trust and status of a memory that was said again: only a person's word raises them."""
    if incoming.trust != USER:
        return memory.trust, memory.status
    return USER, max(memory.status, CONFIRMED, key=STATUSES.index)


def may_supersede(new: Memory, old: Memory) -> bool:
    """Say whether a detected revision may hide what was there: never a pin, never something better founded.

    What was read out of talk hides nothing that a person wrote down, unless it says so plainly (`amendment`).
    """
    trust_suffices = TRUST_RANK.index(new.trust) >= TRUST_RANK.index(old.trust)
    status_suffices = STATUSES.index(new.status) >= STATUSES.index(old.status)
    overheard = new.source == PROMOTED and is_by_hand(old)
    return old.status != PINNED and trust_suffices and status_suffices and not overheard


def is_by_hand(memory: Memory) -> bool:
    """Say whether a person wrote a memory down; what was only read out of talk may have been misread."""
    return memory.trust == USER and any(source != PROMOTED for source in memory.sources)


def is_persons(memory: Memory) -> bool:
    """Say whether a memory is a person's to change: a person said it, confirmed it or pinned it."""
    return memory.trust == USER or memory.status != CANDIDATE


def may_enrich(memory: Memory, incoming: Memory) -> bool:
    """Say whether what is said again may add tags and files, or move an expiry: a person's only by a person."""
    return incoming.trust == USER or not is_persons(memory)


def rewritten_by(memory: Memory, trust: str) -> tuple[str, str]:
    """Return the trust and status of a memory whose words or expiry somebody changed: never more than theirs."""
    if trust == USER:
        return USER, max(memory.status, CONFIRMED, key=STATUSES.index)
    return (trust if memory.trust == USER else memory.trust), CANDIDATE


def after_read(memory: Memory, now: int) -> Memory:
    """Return the memory as a person's read leaves it: what an agent said is confirmed once it has stood for a day.

    Of what was promoted by itself an earlier read is noted: it is judged when its first day is over.
    """
    has_waited = now - memory.renewed_at >= QUARANTINE_MS
    if memory.status == CANDIDATE and memory.trust == AGENT and has_waited:
        return replace(memory, status=CONFIRMED)
    if memory.status == CANDIDATE and memory.source == PROMOTED and READ_BY_PERSON not in memory.metadata:
        return replace(memory, metadata={**memory.metadata, READ_BY_PERSON: True})
    return memory


def may_return(trust: str) -> bool:
    """Say whether something forgotten may be remembered again: only when a person says so."""
    return trust == USER


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
