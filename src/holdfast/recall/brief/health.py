"""Whether briefs have been fast enough lately, and how much they may look at because of it."""

from __future__ import annotations

from holdfast.machine.environment import known_pace
from holdfast.model.brief import Health
from holdfast.model.type_hints import TYPE_CHECKING
from holdfast.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.model.brief import Latency
    from holdfast.ports import Store

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


class BriefLimits(Value):
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
