"""The size limit: what is needed least goes until the store is well below it.

In this order: the access log, slack in the indexes, turns that prove no memory, memories by when they were last
read. The limit is one of pages in use, or of a count of memories.
"""

from collections.abc import Iterable, Sequence

from holdfast.model.limits import DAY_MS
from holdfast.model.memory import Memory
from holdfast.model.upkeep import SHRINKING, SIZE_KEPT, TOO_BIG
from holdfast.upkeep.round import BATCH, Round, Steps, days_between, departure

ACCESSES = 1_000
"""Accesses removed in one transaction."""

PAGE = 1_000
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
    while page := round_.store.upkeep.spare_turns(ended_before, PAGE):
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
    while gauge.too_big() and (page := upkeep.spare_turns(None, 1 << 40 if round_.dry else PAGE)):
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
