"""Which of the scored entries go into a brief. Pure, and the same for memories and turns."""

import math
from collections.abc import Sequence

from holdfast.model.type_hints import TYPE_CHECKING
from holdfast.model.value import Value

if TYPE_CHECKING:
    from typing import Protocol, TypeVar

    class Scored(Protocol):
        """What can be chosen."""

        @property
        def score(self) -> float: ...
        @property
        def session(self) -> str | None: ...

    Item = TypeVar("Item", bound=Scored)

BEST = 15
DROPPED_SHARE = 0.3
FROM_ONE_SESSION = 2
MOST_CHOSEN = 5


class BriefLimits(Value):
    """How much a brief looks at and takes; less while the latest briefs were slow."""

    best: int = BEST
    candidates: int = 500


HEALTHY_LIMITS = BriefLimits()
DEGRADED_LIMITS = BriefLimits(best=5, candidates=100)


def select(candidates: "Sequence[Item]", limits: BriefLimits = HEALTHY_LIMITS) -> "list[Item]":
    """Return the best 15 without their lowest 30 %, at most 2 of one session, and of these the best 5."""
    best = sorted(candidates, key=lambda candidate: -candidate.score)[: limits.best]
    top_candidates = best[: math.ceil(len(best) * (1 - DROPPED_SHARE))]
    selection: list[Item] = []
    for candidate in top_candidates:
        if (
            candidate.session is None
            or sum(peer.session == candidate.session for peer in selection) < FROM_ONE_SESSION
        ):
            selection.append(candidate)
    return selection[:MOST_CHOSEN]
