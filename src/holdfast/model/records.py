"""What the store keeps about its own use: audit events, accesses, and the figures of `stats`."""

from collections.abc import Mapping

from msgspec import Struct, field

from holdfast.model.brief import Health
from holdfast.model.memory import Json

ACTIONS = (
    "add", "remove", "update", "promote", "evict", "pin", "unpin", "confirm", "supersede", "resolve",
    "compact", "finalise", "propose", "accept", "drop",
)  # fmt: skip
"""Everything the audit log can say was done."""

WARN_FROM = 0.8
"""The share of the size limit from which on people are warned."""

TOTALLED = ("promote", "evict")
"""Actions of which a store remembers how many entries they were done to, longer than the log reaches back."""


class Event(Struct, frozen=True, kw_only=True):
    """One line of the audit log: who did what to which entries. Never their text."""

    action: str
    actor: str
    at: int
    ids: tuple[str, ...]
    detail: Json = field(default_factory=dict)


class EventFilters(Struct, frozen=True, kw_only=True):
    """Which events to show. Empty means no restriction."""

    action: str | None = None
    actor: str | None = None
    since: int | None = None
    id: str | None = None
    """The last digits of an id, eight at least: what was forgotten has no other name left."""
    limit: int = 50

    def fit(self, event: Event) -> bool:
        """Say whether an event is wanted."""
        return (
            self.action in (None, event.action)
            and self.actor in (None, event.actor)
            and (self.since is None or event.at >= self.since)
            and (self.id is None or any(full_id.replace("-", "").endswith(self.id) for full_id in event.ids))
        )


class LogPart(Struct, frozen=True, kw_only=True):
    """What was done after some event, the oldest first, each with its number."""

    events: tuple[tuple[int, Event], ...]
    last: int
    """The number from which to go on."""
    gap: bool = False
    """Whether events before these are not kept any more."""


class LogCheck(Struct, frozen=True, kw_only=True):
    """What following the log's chain showed."""

    events: int
    broken_at: int | None
    """The number of the first event that does not fit, None when all do."""

    @property
    def whole(self) -> bool:
        """Whether nothing was altered or taken out."""
        return self.broken_at is None


class Access(Struct, frozen=True, kw_only=True):
    """One look at a memory: by search, get, timeline or brief."""

    memory: str
    action: str
    at: int
    score: float | None = None
    query: str | None = None


class Asked(Struct, frozen=True, kw_only=True):
    """A search, and how often it was made."""

    query: str
    times: int
    last: int


class Seen(Struct, frozen=True, kw_only=True):
    """A memory, how often searches found it, and how often it was read."""

    id: str
    title: str
    found: int
    reads: int


class AccessReport(Struct, frozen=True, kw_only=True):
    """What was searched for in some days, and what came of it. Lists are the longest ones' beginnings."""

    days: int
    searches: int
    searched: tuple[Asked, ...] = ()
    """What was searched most often."""
    unanswered: tuple[Asked, ...] = ()
    """What was searched for and not found, the most often asked first."""
    found: tuple[Seen, ...] = ()
    """The memories that were found most often."""
    memories: int = 0
    never_found: int = 0
    """How many of them no search found in this time."""
    never_read: int = 0
    """How many of them nobody ever read in full."""
    unfound: tuple[Seen, ...] = ()
    """The oldest of those that were neither found nor read."""


class Sealed(Struct, frozen=True):
    """Tombstones as a store keeps them: a key of its own, and fingerprints under that key."""

    key: bytes
    marks: frozenset[bytes]


class Counts(Struct, frozen=True, kw_only=True):
    """How many of what a store holds."""

    memories: int
    superseded: int
    expired: int
    by_kind: Mapping[str, int]
    by_status: Mapping[str, int]
    by_trust: Mapping[str, int]
    reads: int
    sessions: int
    turns: int
    tombstones: int
    audit_events: int
    accesses: int
    conflicts: int = 0
    """Unresolved ones between memories that both hold."""
    findings: int = 0
    proposals: int = 0
    """Those that wait for a person."""
    faded: int = 0
    """Memories hidden by their age, and neither superseded nor expired."""
    candidates: Mapping[str, int] = field(default_factory=dict)
    """Memories that nobody has confirmed, by their trust."""


class Rescan(Struct, frozen=True, kw_only=True):
    """What a second look for secrets changed: rows of each table, and what was found how often."""

    checked: int = 0
    """Rows that were looked at."""
    memories: int = 0
    turns: int = 0
    sessions: int = 0
    queries: int = 0
    proposals: int = 0
    briefs: int = 0
    """Texts of briefs."""
    found: Mapping[str, int] = field(default_factory=dict)
    pending: bool = False
    """Whether old bytes still wait for another process to stop reading."""


class StoreState(Struct, frozen=True, kw_only=True):
    """Where a store lives and how it is doing."""

    place: str
    project: str
    store_id: str
    schema: int
    journal: str
    mount: str | None
    """The kind of a network or shared folder it lies on, where the write-ahead log cannot be used."""
    bytes: int
    scrub_pending: bool
    """Whether bytes of something forgotten still wait in the write-ahead log for a reader to leave."""
    read_only: str | None = None
    """Why it can be read but not written, when that is so."""


class Totals(Struct, frozen=True, kw_only=True):
    """What was done since the store was made, and when upkeep last did what."""

    promotions: int = 0
    evictions: int = 0
    reads: int = 0
    compacted_at: int | None = None
    tended_at: int | None = None


class IndexHealth(Struct, frozen=True, kw_only=True):
    """Whether everything can be found, and how much of the file is in use."""

    rows: int
    indexed: int
    """Rows that are found by their words."""
    waiting: int
    """Rows that wait for vectors."""
    file_bytes: int
    free_bytes: int
    """Of the file, for what comes next."""
    shrinks: bool = True
    """Whether free pages can be given back: they can where the store was made by holdfast."""


class UpkeepState(Struct, frozen=True, kw_only=True):
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


class EmbeddingState(Struct, frozen=True, kw_only=True):
    """Which vectors a store has, what waits for one, and why."""

    model: str | None
    """The model in use; None when embedding is off."""
    kept: str | None
    """The model that the store's vectors are of."""
    dimensions: int | None
    waiting: Mapping[str, int]
    """Rows that are found by keyword only, by target."""
    problem: str | None
    """Why something waits: the embedder's last failure, or another model's vectors."""
    notice: str | None
    """Why another model is in use than the one configured."""


class RuleTotals(Struct, frozen=True, kw_only=True):
    """All rules together."""

    told: int = 0
    kept: int = 0
    broken: int = 0
    guards: int = 0


class Stats(Struct, frozen=True, kw_only=True):
    """The figures of `holdfast stats`: this project's store, and the user's own where there is one."""

    project: StoreState
    counts: Counts
    user: StoreState | None = None
    user_counts: Counts | None = None
    user_error: str | None = None
    """Why the user's own store cannot be used, when it cannot."""
    ignored_settings: tuple[str, ...] = ()
    embedding: EmbeddingState | None = None
    user_embedding: EmbeddingState | None = None
    briefs: Health | None = None
    """How fast the latest briefs were."""
    upkeep: UpkeepState | None = None
    user_upkeep: UpkeepState | None = None
