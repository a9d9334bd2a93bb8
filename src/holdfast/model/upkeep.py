"""Upkeep in values: the limits it keeps, and what it took, or would take, and why."""

from collections.abc import Mapping

from msgspec import Struct, field

MAX_BYTES = 524_288_000
"""The size limit where nobody sets another: 500 MiB."""

PROMOTED_MOST = 3_000
"""Memories that may come from sessions by themselves, where nobody says otherwise."""

SIZE_KEPT = 0.85
"""What a store that grew too big is brought down to, of its limit."""

PROMOTED_KEPT = 0.9
"""What too many of those are brought down to, of their limit."""

EXPIRED, FADED, TOO_MANY, TOO_BIG, PRUNED = "expired", "faded", "promoted", "size", "prune"
"""Which rule a memory goes by."""

SHRINKING = "shrinking"
"""Under which name a store remembers that it is on the way down to its target."""

FORGOTTEN_AT = "forgotten_at"
"""Under which name a store remembers when something was last forgotten there."""

LEFT = "tending_left"
"""Under which name a store remembers that the last slice of upkeep was not enough."""


class StoreLimits(Struct, frozen=True, kw_only=True):
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


class Departure(Struct, frozen=True, kw_only=True):
    """A memory that went, or would go."""

    id: str
    kind: str
    title: str
    rule: str
    why: str


class Merged(Struct, frozen=True, kw_only=True):
    """Memories that said the same: one stays and has the sources of all, the others are its history."""

    kept: str
    title: str
    others: tuple[str, ...]


class Cleanup(Struct, frozen=True, kw_only=True):
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


class Prune(Struct, frozen=True, kw_only=True):
    """What a prune deleted, or would delete."""

    dry_run: bool
    gone: tuple[Departure, ...] = ()
    kept: Mapping[str, int] = field(default_factory=dict)

    @property
    def ids(self) -> tuple[str, ...]:
        """The memories that went, or would."""
        return tuple(departure.id for departure in self.gone)
