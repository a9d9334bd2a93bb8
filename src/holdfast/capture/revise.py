"""How a memory changes when something else is said: merged, retired, reinstated. Pure."""

from dataclasses import replace

from holdfast.capture.precedence import may_enrich, said_again
from holdfast.errors import InvalidInput
from holdfast.model.memory import Memory

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
        raise InvalidInput(
            field="supersedes",
            problem=f"memory {old.id} is history already. `holdfast get` names what took its place.",
        )


def reinstate(old: Memory, now: int) -> Memory:
    """Return a memory from history as one that holds; what took its place stays as it is."""
    if not old.superseded:
        raise InvalidInput(field="id", problem=f"memory {old.id} holds; nothing took its place.")
    return replace(old, valid_until=None, superseded_by=None, updated_at=now)


def _union(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *second)))


def _later(first: int | None, second: int | None) -> int | None:
    return None if first is None or second is None else max(first, second)
