"""Upkeep in values: the limits it keeps, and what it took, or would take, and why."""

from collections.abc import Mapping

from holdfast.model.records import IndexHealth, Totals
from holdfast.model.value import Value, field

MAX_BYTES = 524_288_000
"""The size limit where nobody sets another: 500 MiB."""

PROMOTED_MOST = 3_000
"""Memories that may come from sessions by themselves, where nobody says otherwise."""

SIZE_KEPT = 0.85
"""What a store that grew too big is brought down to, of its limit."""

PROMOTED_KEPT = 0.9
"""What too many of those are brought down to, of their limit."""

WARN_FROM = 0.8
"""The share of the size limit from which on people are warned."""

EXPIRED, FADED, TOO_MANY, TOO_BIG, PRUNED = "expired", "faded", "promoted", "size", "prune"
"""Which rule a memory goes by."""

SHRINKING = "shrinking"
"""Under which name a store remembers that it is on the way down to its target."""

FORGOTTEN_AT = "forgotten_at"
"""Under which name a store remembers when something was last forgotten there."""

LEFT = "tending_left"
"""Under which name a store remembers that the last slice of upkeep was not enough."""


class Limits(Value, kw_only=True):
    """How much is kept."""

    auto: bool = True
    """Whether upkeep happens by itself."""
    max_bytes: int = MAX_BYTES
    """Bytes of pages in use."""
    max_memories: int | None = None
    promoted: int = PROMOTED_MOST
    """Memories that came from sessions by themselves."""
    turn_days: int | None = None
    """How long turns that prove no memory are kept after their session ended; None: until room is needed."""
    merge: bool = True
    """Whether memories that say the same become one."""


class Departure(Value, kw_only=True):
    """A memory that went, or would go."""

    id: str
    kind: str
    title: str
    rule: str
    why: str


class Merged(Value, kw_only=True):
    """Memories that said the same: one stays and has the sources of all, the others are its history."""

    kept: str
    title: str
    others: tuple[str, ...]


class Cleanup(Value, kw_only=True):
    """What a cleanup did, or would do."""

    dry_run: bool
    gone: tuple[Departure, ...] = ()
    merged: tuple[Merged, ...] = ()
    turns: int = 0
    accesses: int = 0
    bytes_before: int = 0
    bytes_after: int = 0
    """What was used before and after; in a dry run an estimate."""
    max_bytes: int = MAX_BYTES
    kept: Mapping[str, int] = field(default_factory=dict)
    """Memories that a rule was for and that stay, by what protects them."""


class Prune(Value, kw_only=True):
    """What a prune deleted, or would delete."""

    dry_run: bool
    gone: tuple[Departure, ...] = ()
    kept: Mapping[str, int] = field(default_factory=dict)

    @property
    def ids(self) -> tuple[str, ...]:
        """The memories that went, or would."""
        return tuple(departure.id for departure in self.gone)


class UpkeepState(Value, kw_only=True):
    """How a store stands towards its limits."""

    used: int
    max_bytes: int
    memories: int
    max_memories: int | None
    promoted: int
    max_promoted: int
    totals: Totals
    health: IndexHealth
    doubted: bool = False
    """Whether the clock jumped so far lately that nothing is deleted by its time yet."""

    @property
    def share(self) -> float:
        """How much of its limit is used."""
        return self.used / self.max_bytes

    @property
    def warning(self) -> str | None:
        """What people should know of it, if anything."""
        if self.share < WARN_FROM:
            return None
        return f"{self.share:.0%} of the size limit is used; beyond it the oldest of what nobody reads goes"
