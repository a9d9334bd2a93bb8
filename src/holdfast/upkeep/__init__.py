"""Work on a store besides writing and reading it, and the time that deletions go by.

`embed` keeps its vectors complete, and knows what waits; `asking` guards the embedder. `rules` are what a `round`
follows to keep a store within its limits.

Deletions go by a time of their own: a clock that jumps far ahead is trusted once it has stayed there for a day.
Reads use the clock as it is: what a wrong clock hides is there again when the clock is right.
"""

from typing import NamedTuple

from holdfast.model.limits import DAY_MS
from holdfast.ports import Store

FAR_MS = 7 * DAY_MS
"""A jump ahead of more than this is doubted: a holiday, or a wrong clock."""


class TrustedTime(NamedTuple):
    """The time trusted last, and since when the clock has said something much later."""

    at: int
    doubted_since: int | None = None


def trusted_now(before: TrustedTime | None, now: int) -> TrustedTime:
    """Return the time to delete by when the clock says now."""
    if before is None or now <= before.at + FAR_MS:
        return TrustedTime(now)
    since = before.doubted_since
    if since is None or not since <= now <= since + FAR_MS:
        return TrustedTime(before.at, now)  # the first jump, or another one
    return TrustedTime(now) if now - since >= DAY_MS else before


def trusted_before(store: Store) -> TrustedTime | None:
    """Return the time that a store trusted last; one that was never tended trusts that of its last event."""
    at, since = store.upkeep.fact("believed_at"), store.upkeep.fact("doubted_since")
    if not isinstance(at, int):
        at = next((event.at for event in store.audit.events(1)), None)
    return None if at is None else TrustedTime(at, since if isinstance(since, int) and since else None)


def note_trusted(store: Store, time: TrustedTime) -> None:
    """Note the time that is trusted, inside a transaction."""
    store.upkeep.note("believed_at", time.at)
    store.upkeep.note("doubted_since", time.doubted_since or 0)
