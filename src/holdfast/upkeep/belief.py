"""Which time deletions go by: a clock that jumps far ahead is not believed until it has stayed there for a day.

Reads need no such care: what a wrong clock hides is there again when the clock is right.
"""

from holdfast.model.limits import DAY_MS
from holdfast.model.value import Value
from holdfast.ports import Store

FAR_MS = 7 * DAY_MS
"""A jump ahead of more than this is doubted: a holiday, or a wrong clock."""

LASTING_MS = DAY_MS


class Belief(Value):
    """What was believed last, and since when, and until when, something later was seen and doubted."""

    at: int | None = None
    doubted_since: int | None = None
    doubted_until: int | None = None

    @property
    def doubts(self) -> bool:
        """Whether the clock is not believed just now."""
        return self.doubted_since is not None


def believe(before: Belief, now: int) -> Belief:
    """Return what to believe when the clock says now; `at` is the time to delete by."""
    if before.at is None or now <= before.at + FAR_MS:
        return Belief(now)
    since, until = before.doubted_since, before.doubted_until
    goes_on = since is not None and until is not None and until <= now <= until + FAR_MS
    if goes_on and since is not None and now - since >= LASTING_MS:
        return Belief(now)
    return Belief(before.at, since if goes_on else now, now)


def remembered_belief(store: Store) -> Belief:
    """Return what a store believed last; one that was never tended believes in its last event."""
    at, since, until = (_moment(store, name) for name in ("believed_at", "doubted_since", "doubted_until"))
    if at is None:
        at = next((event.at for event in store.audit.events(1)), None)
    return Belief(at, since or None, until or None)


def remember(store: Store, belief: Belief) -> None:
    """Note what to believe, inside a transaction."""
    store.upkeep.note("believed_at", belief.at or 0)
    store.upkeep.note("doubted_since", belief.doubted_since or 0)
    store.upkeep.note("doubted_until", belief.doubted_until or 0)


def _moment(store: Store, name: str) -> int | None:
    value = store.upkeep.fact(name)
    return value if isinstance(value, int) else None
