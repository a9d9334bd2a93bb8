"""What expired or faded is deleted; only when somebody cleans up."""

from holdfast.model.memory import Memory
from holdfast.model.times import day
from holdfast.model.upkeep import EXPIRED, FADED, Departure
from holdfast.upkeep.round import BATCH, Round, Steps, days_between, departure


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
