"""What became of everything that a brief could have told: kept only where a caller asks why; and how
fast the latest briefs were."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from holdfast.machine.environment import known_pace
from holdfast.model.brief import BriefItem, Health, Latency
from holdfast.model.memory import Memory
from holdfast.recall.brief.candidates import ScoredEntry

if TYPE_CHECKING:
    from holdfast.ports import Store


class LeftOut(Struct, frozen=True, kw_only=True):
    """Something that was not told, and why."""

    item: BriefItem
    reason: str


class Account:
    """What was left out of one brief, in the order of the steps, and why."""

    BUDGET = "budget"
    IRRELEVANT = "irrelevant"
    OUTDATED = "outdated"
    WEAKER = "weaker"
    SAME_SESSION = "same_session"
    REPEATED = "repeated"

    def __init__(self) -> None:
        self.left_out: dict[str, LeftOut] = {}

    def leave(self, before: Iterable[ScoredEntry], after: Iterable[ScoredEntry], reason: str) -> None:
        """Note what a step did not let pass."""
        kept_ids = {entry.id for entry in after}
        for entry in before:
            if entry.id not in kept_ids and entry.id not in self.left_out:
                self.left_out[entry.id] = LeftOut(item=_item(entry), reason=reason)

    def leave_items(self, items: Iterable[BriefItem], reason: str) -> None:
        """Note entries that a step did not let pass."""
        for item in items:
            self.left_out.setdefault(item.id, LeftOut(item=item, reason=reason))


REASONS = {
    Account.BUDGET: "there was no room left for it",
    Account.IRRELEVANT: "it is too far from the prompt",
    Account.OUTDATED: "something newer says otherwise",
    Account.WEAKER: "others fit the prompt better",
    Account.SAME_SESSION: "enough of that session is told already",
    Account.REPEATED: "another entry says it already",
}
"""Why something was not told, in words."""


def _item(entry: ScoredEntry) -> BriefItem:
    return BriefItem(
        id=entry.id,
        kind=entry.source.kind if isinstance(entry.source, Memory) else "thread",
        tier="retrieval",
        score=round(entry.score, 4),
        why={name: round(part, 4) for name, part in entry.parts.items()},
    )


WINDOW = 100
"""The latest briefs that are judged."""

LEAST_SAMPLES = 5
"""Briefs without which there is no judgement."""

SLOW_MS = 300
FAST_MS = 200
"""Above the first at the 95th percentile briefs look at less, until they are below the second."""

CUT_MS = SLOW_MS + 1
"""What a brief that was cut off counts as at least: nobody knows how long it would have taken."""

BEST = 15
"""Entries among which the best few are chosen."""


class BriefLimits(Struct, frozen=True):
    """How much a brief looks at and takes; less while the latest briefs were slow."""

    best: int = BEST
    candidates: int = 500


HEALTHY_LIMITS = BriefLimits()
DEGRADED_LIMITS = BriefLimits(best=5, candidates=100)


def health_of(store: Store) -> Health:
    """Say how fast the latest briefs from a store were, for this machine."""
    return judge(store.receipts.latencies(WINDOW), known_pace())


def judge(latencies: Sequence[Latency], pace: float = 1.0) -> Health:
    """Judge by the latest briefs, newest first; between slow and fast it stays as it was.

    On a machine that takes so many times as long, slow is so many times as slow.
    """
    samples = [
        max(latency.took_ms, round(CUT_MS * pace)) if latency.cut else latency.took_ms
        for latency in latencies[:WINDOW]
    ]
    if len(samples) < LEAST_SAMPLES:
        return Health(samples=len(samples), p95_ms=None, degraded=False)
    p95 = sorted(samples)[-(-len(samples) * 95 // 100) - 1]
    is_degraded = p95 > SLOW_MS * pace or (p95 >= FAST_MS * pace and latencies[0].degraded)
    return Health(samples=len(samples), p95_ms=p95, degraded=is_degraded)
