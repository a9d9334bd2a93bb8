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
DROPPED = 0.3
FROM_ONE_SESSION = 2
CHOSEN = 5


class Limits(Value):
    """How much a brief looks at and takes; less while the latest briefs were slow."""

    best: int = BEST
    candidates: int = 500


HEALTHY = Limits()
DEGRADED = Limits(best=5, candidates=100)


def select(scored: "Sequence[Item]", limits: Limits = HEALTHY) -> "list[Item]":
    """Return the best 15 without their lowest 30 %, at most 2 of one session, and of these the best 5."""
    best = sorted(scored, key=lambda one: -one.score)[: limits.best]
    kept = best[: math.ceil(len(best) * (1 - DROPPED))]
    chosen: list[Item] = []
    for one in kept:
        if one.session is None or sum(other.session == one.session for other in chosen) < FROM_ONE_SESSION:
            chosen.append(one)
    return chosen[:CHOSEN]
