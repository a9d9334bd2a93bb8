"""How much was learnt from sessions in a span of time: what the audit log says was added, as far as it holds.

Hooks ask while an agent waits: the latest events are looked at and the memories they name, nothing is searched.
"""

from collections.abc import Sequence
from itertools import islice

from holdfast.model.kinds import AGENT, LEARNERS, USER
from holdfast.model.type_hints import TYPE_CHECKING
from holdfast.model.value import Value

if TYPE_CHECKING:
    from holdfast.ports import Store

FIRST_EVENTS, EVENTS_READ = 10, 100
"""The latest events of a store that are looked at, and how many at first: mostly little has happened."""

MEMORIES_READ = 200
"""The latest memories that these name and that are read."""


class LearntCount(Value):
    """How many memories were learnt, or that it was so many at least."""

    count: int
    at_least: bool = False


def learnt_between(stores: "Sequence[Store]", since: int, until: int) -> LearntCount:
    """Count what sessions, agents and the extractor added from one moment up to another, and what holds of it.

    What came from files and imports is none of it, whoever took it in.
    """
    counts = [_learnt_in(store, since, until) for store in stores]
    return LearntCount(sum(count.count for count in counts), any(count.at_least for count in counts))


def _learnt_in(store: "Store", since: int, until: int) -> LearntCount:
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
    return LearntCount(sum(memory.holds(until) and memory.trust in (USER, AGENT) for memory in memories), is_cut)
