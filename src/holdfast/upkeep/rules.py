"""The short rules of upkeep: fading by today's rules, what is over, the limit on promoted ones, pruning, room.

Pruning is what somebody asks for, by age, weight or source; what is protected stays, as everywhere. What a memory
weighs is a function of what is stored, never written back.
"""

import heapq

from holdfast.model.kinds import CANDIDATE, PINNED, PROMOTED, USER
from holdfast.model.limits import DAY_MS
from holdfast.model.memory import Memory
from holdfast.model.records import Event
from holdfast.model.requests import PruneRequest
from holdfast.model.times import day
from holdfast.model.upkeep import EXPIRED, FADED, PROMOTED_KEPT, PRUNED, TOO_MANY, Departure
from holdfast.upkeep.round import BATCH, Round, Steps, days_between, departure

PAGES = 512
"""Pages returned in one transaction: 2 MB."""

PAGE = 500
"""Memories read at once."""

PROGRESS_FACT = "refaded_to"
"""Under which name a store remembers how far it came."""

A_WEEK = 0.95
"""What is left after a week without a read. These four were given, not fitted (decision 0002)."""

UNCONFIRMED_FACTOR = 0.9
"""What doubt leaves of what nobody confirmed."""

UNREAD_FACTOR = 0.5
A_READ = 0.05
"""What neglect leaves of what nobody ever read, and what each read gives back."""

ASKED_FOR = "what a person asked to remember"
SAID_BY_OTHERS = "said by another source too"


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


def prune(round_: Round, wish: PruneRequest) -> Steps:
    """Delete what a wish is about, history included."""
    after = 0
    while page := round_.store.upkeep.every(after, BATCH):
        after = page[-1][0]
        reasons = {memory.id: why for _, memory in page if (why := _why(memory, wish, round_.believed))}
        meant_memories = [memory for _, memory in page if memory.id in reasons]
        spared_reasons = [reason for memory in meant_memories if (reason := _reason_to_spare(memory, wish))]
        round_.ledger.kept.update(spared_reasons)
        free = round_.unprotected([memory for memory in meant_memories if not _reason_to_spare(memory, wish)])
        round_.evict([(memory, departure(memory, PRUNED, reasons[memory.id])) for memory in free])
        yield len(page)


def _why(memory: Memory, wish: PruneRequest, now: int) -> str | None:
    """Say why a wish is about a memory; None when it is not."""
    why = []
    if wish.days is not None:
        used = max(memory.renewed_at, memory.accessed_at or 0)
        if now - used < wish.days * DAY_MS:
            return None
        why.append(f"not read or confirmed for {days_between(used, now)} days")
    if wish.max_score is not None:
        weight = decayed_importance(memory, now)
        if weight > wish.max_score:
            return None
        why.append(f"weighs {weight:.2f}")
    if wish.source is not None:
        if wish.source not in memory.sources:
            return None
        why.append(f"from {wish.source}")
    return ", ".join(why)


def _reason_to_spare(memory: Memory, wish: PruneRequest) -> str | None:
    if memory.trust == USER and not wish.mine:
        return ASKED_FOR
    if wish.source is not None and set(memory.sources) != {wish.source}:
        return SAID_BY_OTHERS
    return None


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


def decayed_importance(memory: Memory, now: int) -> float:
    """Return a memory's importance as time, doubt and neglect leave it; what is pinned keeps all of it.

    Time counts from the last read, or from when it was captured or confirmed; a clock that went back takes none.
    """
    if memory.status == PINNED:
        return memory.importance
    since = max(memory.accessed_at or 0, memory.renewed_at)
    weeks = max(0, now - since) / (7 * DAY_MS)
    doubt = UNCONFIRMED_FACTOR if memory.status == CANDIDATE else 1.0
    return float(memory.importance * A_WEEK**weeks * doubt * min(1.0, UNREAD_FACTOR + A_READ * memory.reads))
