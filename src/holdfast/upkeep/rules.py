"""The rules of upkeep: fading by today's rules, what is over, the limits on promoted ones and on size, pruning.

Pruning is what somebody asks for, by age, weight or source; what is protected stays, as everywhere. What a memory
weighs is a function of what is stored, never written back.

Over the limit on size, which is one of pages in use or of a count of memories, what is needed least goes until
the store is well below it, in this order: the access log, slack in the indexes, turns that prove no memory,
memories by when they were last read.
"""

import heapq
from collections.abc import Iterable, Sequence

from holdfast.model.kinds import CANDIDATE, PINNED, PROMOTED, USER
from holdfast.model.limits import DAY_MS
from holdfast.model.memory import Memory
from holdfast.model.records import Event
from holdfast.model.requests import PruneRequest
from holdfast.model.times import day
from holdfast.model.upkeep import (
    EXPIRED,
    FADED,
    PROMOTED_KEPT,
    PRUNED,
    SHRINKING,
    SIZE_KEPT,
    TOO_BIG,
    TOO_MANY,
    Departure,
)
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
        last_use = max(memory.renewed_at, memory.accessed_at or 0)
        if now - last_use < wish.days * DAY_MS:
            return None
        why.append(f"not read or confirmed for {days_between(last_use, now)} days")
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


# ── size ───────────────────────────────────────────────────────────────────────────────────────────────────────

ACCESSES = 1_000
"""Accesses removed in one transaction."""

TURN_PAGE = 1_000
"""Turns looked up at once; they are removed in batches."""

MOST_INDEXED = 4.0
"""About the most bytes that an index gives back for each byte that was removed, once it is tidy: too much at
first, so that nothing goes in vain; then as much as it was."""

INDEXED_ROW = 100
"""Bytes that a row counts for besides its text: an index has an entry for each row, however short."""

MARGIN = 0.01
"""Of the limit, for what others write while it goes on."""

TIDY_PAGES = 256
"""Pages that are given back in one step: a megabyte."""

A_ROW = 1_500
A_BYTE = 2.5
"""About what a row takes in all, besides its text and for each byte of it. For dry rounds only."""


def limit_size(round_: Round) -> Steps:
    """Bring a store that is over its limit down to the target, in short transactions."""
    gauge = Gauge(round_)
    if not gauge.over():
        return
    yield from _drop_accesses(round_, gauge)
    yield from gauge.tidy()
    yield from _drop_turns(round_, gauge)
    yield from _drop_memories(round_, gauge)
    gauge.settled()


def limit_turns(round_: Round) -> Steps:
    """Delete turns of sessions that ended longer ago than turns are kept, unless they prove a memory."""
    days = round_.limits.turn_days
    if days is None:
        return
    ended_before = round_.believed - days * DAY_MS
    while page := round_.store.upkeep.spare_turns(ended_before, TURN_PAGE):
        for start in range(0, len(page), BATCH):
            yield _delete_turns(round_, page[start : start + BATCH])
        if round_.dry:
            break


class Gauge:
    """How far a store is above its target."""

    def __init__(self, round_: Round) -> None:
        self._round = round_
        self._upkeep = round_.store.upkeep
        self._removed_bytes = 0
        self._ratio = MOST_INDEXED
        limits = round_.limits
        self._target = int(limits.max_bytes * (SIZE_KEPT - MARGIN))
        self._most = int(limits.max_memories * SIZE_KEPT) if limits.max_memories is not None else None

    def over(self) -> bool:
        """Whether anything has to go: beyond a limit, or still on the way down from it."""
        limits, upkeep = self._round.limits, self._upkeep
        many = limits.max_memories is not None and upkeep.memories() > limits.max_memories
        if upkeep.used() > limits.max_bytes or many:
            self._note(1)
            return True
        return bool(upkeep.fact(SHRINKING)) and (self.too_big() or self.too_many() > 0)

    def too_big(self) -> bool:
        """Whether more bytes are in use than the target allows, but for what a tidy index will give back."""
        loose = int(self._ratio * self._removed_bytes)
        return self._upkeep.used() - loose - self._round.ledger.freed > self._target

    def let_go(self, sizes: Iterable[int]) -> None:
        """Note that texts of these sizes were removed."""
        if self._round.dry:
            self._round.ledger.freed += int(sum(A_ROW + A_BYTE * size for size in sizes))
        else:
            self._removed_bytes += sum(INDEXED_ROW + size for size in sizes)

    def enough(self, sizes: Sequence[int]) -> int:
        """Return how many rows with texts of these sizes to remove next: no more than it takes, but one."""
        above = self._upkeep.used() - int(self._ratio * self._removed_bytes) - self._target
        for place, size in enumerate(sizes):
            above -= int((1 + self._ratio) * (INDEXED_ROW + size))
            if above <= 0:
                return place + 1
        return len(sizes)

    def tidy(self) -> Steps:
        """Put the indexes together, so that what is in use is known again."""
        before = self._upkeep.used()
        while not self._round.dry and self._upkeep.compact(TIDY_PAGES):
            yield 0
        if self._removed_bytes:
            self._ratio = max(0.0, (before - self._upkeep.used()) / self._removed_bytes)
        self._removed_bytes = 0

    def too_many(self) -> int:
        """Return how many more memories there are than the target allows."""
        gone_count = len(self._round.ledger.gone) if self._round.dry else 0
        return 0 if self._most is None else max(0, self._upkeep.memories() - gone_count - self._most)

    def settled(self) -> None:
        """Note that the target is reached, or as near as what is protected allows."""
        self._note(0)

    def _note(self, value: int) -> None:
        if not self._round.dry and self._upkeep.fact(SHRINKING) != value:
            with self._round.store.writing(self._round.patience_ms):
                self._upkeep.note(SHRINKING, value)


def _drop_accesses(round_: Round, gauge: Gauge) -> Steps:
    upkeep, ledger = round_.store.upkeep, round_.ledger
    while gauge.too_big() and (rows := min(ACCESSES, upkeep.accesses() - (ledger.accesses if round_.dry else 0))):
        if not round_.dry:
            with round_.store.writing(round_.patience_ms):
                upkeep.drop_accesses(rows)
        ledger.accesses += rows
        yield rows


def _drop_turns(round_: Round, gauge: Gauge) -> Steps:
    upkeep = round_.store.upkeep
    while gauge.too_big() and (page := upkeep.spare_turns(None, 1 << 40 if round_.dry else TURN_PAGE)):
        while page:
            batch = page[: BATCH if round_.dry else gauge.enough([size for _, size in page[:BATCH]])]
            page = page[len(batch) :]
            yield _delete_turns(round_, batch)
            gauge.let_go(size for _, size in batch)
            if not gauge.too_big():
                yield from gauge.tidy()
                break
        if round_.dry:
            return


def _delete_turns(round_: Round, batch: list[tuple[str, int]]) -> int:
    if not round_.dry:
        with round_.store.writing(round_.patience_ms):
            round_.store.turns.delete([turn_id for turn_id, _ in batch])
    round_.ledger.turns += len(batch)
    return len(batch)


def _drop_memories(round_: Round, gauge: Gauge) -> Steps:
    """Evict memories by when they were last read; those that are protected are passed over."""
    upkeep = round_.store.upkeep
    passed_count = 0
    while (gauge.too_big() or gauge.too_many()) and (page := upkeep.least_read(passed_count, BATCH)):
        free = _next_to_go(round_, gauge, round_.unprotected(page))
        looked_at = page.index(free[-1]) + 1 if free else len(page)
        evicted_count = round_.evict(
            [(memory, departure(memory, TOO_BIG, _last_read(memory, round_.believed))) for memory in free]
        )
        gauge.let_go(len(memory.content.encode()) for memory in free)
        passed_count += looked_at if round_.dry else looked_at - evicted_count
        yield len(page)
        if not gauge.too_big():
            yield from gauge.tidy()
    yield from _drop_turns(round_, gauge)  # those that only proved what went just now


def _next_to_go(round_: Round, gauge: Gauge, free: list[Memory]) -> list[Memory]:
    """Return the first of some memories: as many as it takes to come down to the target, or all of them."""
    if not gauge.too_big():
        return free[: gauge.too_many()]
    return free if round_.dry else free[: gauge.enough([len(memory.content.encode()) for memory in free])]


def _last_read(memory: Memory, now: int) -> str:
    if memory.accessed_at is None:
        return f"never read in {days_between(memory.created_at, now)} days"
    return f"last read {days_between(memory.accessed_at, now)} days ago"
