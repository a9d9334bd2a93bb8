"""How memory is doing, in figures that a page draws: growth, kinds, what fades, how fast briefs are, the log."""

from collections.abc import Mapping

from msgspec import Struct

from holdfast.model.brief import Latency
from holdfast.model.limits import DAY_MS
from holdfast.model.plain import filled
from holdfast.ports import Store
from holdfast.recall.brief.request import LIMIT_MS
from holdfast.service.audit import check_log
from holdfast.service.parts import ServiceParts
from holdfast.service.views.lines import Lines, MemoryLine

WEEK_MS = 7 * DAY_MS
FIRST_MONDAY_MS = 4 * DAY_MS
"""From the epoch, a Thursday, to the first Monday."""

WEEKS = 52
SOON = 10
"""Memories that are named of what fades next."""

BRIEFS = 200
"""The latest briefs whose time is shown."""


class Week(Struct, frozen=True, kw_only=True):
    """How many memories were made in a week, and how many there were at its end."""

    week: int
    made: int
    total: int


class Share(Struct, frozen=True, kw_only=True):
    """How many there are of one sort."""

    name: str
    count: int


class FadingSoon(Struct, frozen=True, kw_only=True):
    """What fades unless somebody reads, confirms or pins it."""

    in_7_days: int
    in_30_days: int
    soon: tuple[MemoryLine, ...]


class BriefTimes(Struct, frozen=True, kw_only=True):
    """How fast briefs are, and how fast they have to be."""

    limit_ms: int
    p95_ms: int | None
    samples: int
    degraded: bool
    briefs: tuple[Latency, ...]


class IndexState(Struct, frozen=True, kw_only=True):
    """Whether everything can be found."""

    rows: int
    indexed: int
    waiting: int
    file_bytes: int
    free_bytes: int
    model: str | None
    kept: str | None
    problem: str | None
    notice: str | None


class SizeState(Struct, frozen=True, kw_only=True):
    """How much of its room a store uses."""

    used: int
    max_bytes: int
    warning: str | None


class AuditState(Struct, frozen=True, kw_only=True):
    """Whether the log is whole."""

    events: int
    whole: bool
    broken_at: int | None


class StoreFacts(Struct, frozen=True, kw_only=True):
    """How the store is kept; where it lies is nobody's business outside."""

    schema: int
    journal: str
    read_only: str | None
    scrub_pending: bool


class UserFacts(Struct, frozen=True, kw_only=True):
    """The user's own memories, which hold in every project."""

    memories: int
    usable: bool


class HealthPage(Struct, frozen=True, kw_only=True):
    """How memory is doing."""

    now: int
    memories: int
    """History included."""
    current: int
    superseded: int
    expired: int
    faded: int
    sessions: int
    turns: int
    findings: int
    conflicts: int
    proposals: int
    tombstones: int
    growth: tuple[Week, ...]
    kinds: tuple[Share, ...]
    statuses: tuple[Share, ...]
    trusts: tuple[Share, ...]
    fading: FadingSoon
    latency: BriefTimes
    index: IndexState
    size: SizeState
    audit: AuditState
    store: StoreFacts
    user: UserFacts


def health_page(lines: Lines, parts: ServiceParts) -> HealthPage:
    """Return how memory is doing."""
    scopes, store, now = lines.scopes, lines.scopes.project, lines.now
    counts, upkeep, user = store.counts(now), parts.upkeep.state(store), scopes.user
    return filled(
        HealthPage,
        counts,
        now=now,
        memories=counts.memories + counts.superseded + counts.expired + counts.faded,
        current=counts.memories,
        growth=_growth(store, now),
        kinds=_shares(counts.by_kind),
        statuses=_shares(counts.by_status),
        trusts=_shares(counts.by_trust),
        fading=_fading(lines),
        latency=filled(
            BriefTimes,
            parts.briefs.health(),
            limit_ms=LIMIT_MS,
            briefs=tuple(reversed(store.receipts.latencies(BRIEFS))),
        ),
        index=filled(IndexState, upkeep.health, parts.embeddings.state(store)),
        size=filled(SizeState, upkeep),
        audit=filled(AuditState, check_log([store], now)),
        store=filled(StoreFacts, store.state()),
        user=UserFacts(memories=user.upkeep.memories() if user else 0, usable=scopes.user_error is None),
    )


def _growth(store: Store, now: int) -> tuple[Week, ...]:
    """Return the last weeks, those in which nothing was made among them."""
    days = store.upkeep.growth(DAY_MS)
    made_by_week: dict[int, int] = {}
    for day, count in days.items():
        week = (day * DAY_MS - FIRST_MONDAY_MS) // WEEK_MS
        made_by_week[week] = made_by_week.get(week, 0) + count
    if not made_by_week:
        return ()
    this_week = max((now - FIRST_MONDAY_MS) // WEEK_MS, *made_by_week)
    first = max(min(made_by_week), this_week - WEEKS + 1)
    total = sum(count for week, count in made_by_week.items() if week < first)
    weeks = []
    for week in range(first, this_week + 1):
        total += made_by_week.get(week, 0)
        weeks.append(Week(week=week * WEEK_MS + FIRST_MONDAY_MS, made=made_by_week.get(week, 0), total=total))
    return tuple(weeks)


def _fading(lines: Lines) -> FadingSoon:
    store, now = lines.scopes.project, lines.now
    return FadingSoon(
        in_7_days=store.upkeep.fading(now, now + WEEK_MS),
        in_30_days=store.upkeep.fading(now, now + 30 * DAY_MS),
        soon=tuple(map(lines.memory, store.memories.fading(now, SOON))),
    )


def _shares(counts: Mapping[str, int]) -> tuple[Share, ...]:
    pairs = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return tuple(Share(name=name, count=count) for name, count in pairs)
