"""The short rules of upkeep: fading by the rules of today, what is over, the limit on promoted ones, room."""

import heapq

from holdfast.model.kinds import PROMOTED
from holdfast.model.memory import Memory
from holdfast.model.records import Event
from holdfast.model.times import day
from holdfast.model.upkeep import EXPIRED, FADED, PROMOTED_KEPT, TOO_MANY, Departure
from holdfast.upkeep.decay import decayed_importance
from holdfast.upkeep.round import BATCH, Round, Steps, days_between, departure

PAGES = 512
"""Pages returned in one transaction: 2 MB."""

PAGE = 500
"""Memories read at once."""

PROGRESS_FACT = "refaded_to"
"""Under which name a store remembers how far it came."""


def refade(round_: Round) -> Steps:
    """Bring rows up to the rules, a page in a transaction; an interrupted round goes on where it stopped."""
    upkeep = round_.store.upkeep
    if round_.dry or upkeep.refaded():
        return
    last_number: int | None = int(upkeep.fact(PROGRESS_FACT) or 0)
    while last_number is not None:
        with round_.store.writing(round_.patience_ms):
            last_number = upkeep.refade(last_number, PAGE)
            upkeep.note(PROGRESS_FACT, last_number or 0)
        yield PAGE


def drop_outdated(round_: Round) -> Steps:
    """Delete what was over by the believed time; history stays with what took its place."""
    after = 0
    while page := round_.store.upkeep.over(round_.believed, after, BATCH):
        after = page[-1][0]
        free = round_.unprotected([memory for _, memory in page])
        round_.evict([(memory, _departure_of(memory, round_.believed)) for memory in free])
        yield len(page)


def _departure_of(memory: Memory, at: int) -> Departure:
    if memory.expires is not None and memory.expires <= at:
        return departure(memory, EXPIRED, f"expired on {day(memory.expires)}")
    age = days_between(memory.renewed_at, at)
    return departure(memory, FADED, f"{memory.kind}, not confirmed for {age} days, read {memory.reads} times")


def limit_promoted(round_: Round) -> Steps:
    """Bring promoted memories down to nine tenths of their limit once there are more; nobody else's count."""
    store, most = round_.store, round_.limits.promoted
    count = store.upkeep.promoted()
    if count <= most:
        return
    lightest = heapq.nsmallest(count - int(most * PROMOTED_KEPT), _weights(round_))
    for start in range(0, len(lightest), BATCH):
        batch = {memory_id: weight for weight, memory_id in lightest[start : start + BATCH]}
        memories = [memory for memory in store.memories.get(list(batch)) if _still(round_, memory)]
        round_.evict(
            [
                (memory, departure(memory, TOO_MANY, f"weighs {batch[memory.id]:.2f}, among the least"))
                for memory in memories
            ]
        )
        yield len(batch)


def _still(round_: Round, memory: Memory) -> bool:
    """Say whether a memory may go now: it may have been pinned, read or said by somebody since it was weighed."""
    alone = memory.sources == (PROMOTED,) and not memory.superseded
    return alone and round_.protection.reason(memory) is None


def _weights(round_: Round) -> list[tuple[float, str]]:
    weights = []
    after = 0
    while page := round_.store.upkeep.promoted_after(after, PAGE):
        after = page[-1][0]
        free = round_.unprotected([memory for _, memory in page])
        weights += [(decayed_importance(memory, round_.believed), memory.id) for memory in free]
    return weights


def compact(round_: Round) -> Steps:
    """Give room back after something was removed, until there is none left to give."""
    upkeep = round_.store.upkeep
    if round_.dry or not (round_.ledger.removed or upkeep.untidy()):
        return
    while upkeep.compact(PAGES):
        yield 1
    with round_.store.writing(round_.patience_ms):
        round_.store.audit.record(Event(action="compact", actor=round_.actor, at=round_.now, ids=()))
        upkeep.note("compacted_at", round_.now)
    yield 1
