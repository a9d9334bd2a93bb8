"""Questions to the audit logs: their events, the state of their chain, and what was learnt in a span of time.

Hooks ask for what was learnt while an agent waits: the latest events are read, and the memories that they name.
"""

from collections.abc import Callable, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from msgspec import Struct

from holdfast.model import limits
from holdfast.model.kinds import AGENT, CANDIDATE, LEARNERS, USER
from holdfast.model.records import Event, EventFilters, LogCheck, LogPart

if TYPE_CHECKING:
    from holdfast.model.memory import Memory
    from holdfast.ports import Store

FIRST_EVENTS, EVENTS_READ = 10, 100
"""The latest events of a store that are looked at, and how many at first: mostly little has happened."""

MOST_NAMED = 2
"""Memories that are named to a person; of the others the number is said."""

MEMORIES_READ = 200
"""The latest memories that these name and that are read."""


def events_in(stores: "Sequence[Store]", filters: EventFilters) -> list[Event]:
    """Return what was done, newest first."""
    events = [event for store in stores for event in store.audit.events(limits.AUDIT_EVENTS)]
    return [event for event in events if filters.fit(event)][: filters.limit]


def events_after(store: "Store", number: int | None, limit: int) -> LogPart:
    """Return what was done in a store after an event; None: nothing, and where to go on from."""
    first, last = store.audit.span()
    if number is None:
        return LogPart(events=(), last=last)
    events = tuple(store.audit.after(number, limit))
    return LogPart(events=events, last=events[-1][0] if events else number, gap=number < first - 1)


def check_log(stores: "Sequence[Store]", now: int) -> LogCheck:
    """Follow the chain of a scope's log from its anchor to its end; a scope without a store has no event."""
    for store in stores:
        return LogCheck(events=store.counts(now).audit_events, broken_at=store.audit.broken_at())
    return LogCheck(events=0, broken_at=None)


class LearntMemory(Struct, frozen=True):
    """A memory that was learnt, as a person is shown it."""

    short: str
    title: str
    waits: bool = False
    """Whether it was only heard: it waits for a person's confirmation."""


class LearntCount(Struct, frozen=True):
    """How many memories were learnt, or that it was so many at least, and the first of them to name."""

    count: int
    at_least: bool = False
    named: tuple[LearntMemory, ...] = ()


def learnt_between(
    stores: "Sequence[Store]", since: int, until: int, short: Callable[[str], str] = lambda full: full
) -> LearntCount:
    """Return what sessions, agents and the extractor added from one moment up to another, as far as it holds.

    What came from files and imports is none of it, whoever took it in. Rules are named before what was only heard.
    """
    parts = [_learnt_in(store, since, until) for store in stores]
    memories = [memory for part, _ in parts for memory in part]
    first = sorted(memories, key=lambda memory: (memory.status == CANDIDATE, -memory.created_at))[:MOST_NAMED]
    first_memories = tuple(
        LearntMemory(short(memory.id), memory.title, memory.status == CANDIDATE) for memory in first
    )
    return LearntCount(len(memories), any(is_cut for _, is_cut in parts), first_memories)


def _learnt_in(store: "Store", since: int, until: int) -> "tuple[list[Memory], bool]":
    events = store.audit.events(FIRST_EVENTS)
    if len(events) == FIRST_EVENTS and events[-1].at >= since:
        events = store.audit.events(EVENTS_READ)
    additions = [
        event
        for event in events
        if event.action == "add" and event.actor in LEARNERS and since <= event.at < until
    ]
    ids = list(islice((memory_id for event in additions for memory_id in event.ids), MEMORIES_READ + 1))
    memories = store.memories.get(ids[:MEMORIES_READ]) if ids else []
    is_cut = len(ids) > MEMORIES_READ or (len(events) == EVENTS_READ and events[-1].at >= since)
    return [memory for memory in memories if memory.holds(until) and memory.trust in (USER, AGENT)], is_cut
