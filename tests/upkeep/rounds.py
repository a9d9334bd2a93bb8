"""How the tests of upkeep make a round, and a service that does what it is told when it is told."""

from collections.abc import Iterator

from holdfast.model.limits import DAY_MS
from holdfast.model.upkeep import StoreLimits
from holdfast.ports import Store
from holdfast.service.scopes import Scopes
from holdfast.service.upkeep import UpkeepOptions, UpkeepRunner
from holdfast.upkeep.round import Round, protection
from tests.conftest import FakeClock
from tests.contract.builders import NOW

LONG_AGO = NOW - 400 * DAY_MS


def a_round(store: Store, *, dry: bool = False, **limits: int) -> Round:
    """Begin a round that believes the clock."""
    return Round(
        store=store,
        now=NOW,
        believed=NOW,
        protection=protection(store, NOW),
        limits=StoreLimits(**limits),  # type: ignore[arg-type]  # our own names
        dry=dry,
    )


def done(steps: Iterator[int]) -> int:
    """Follow a rule to its end; return how many steps it took."""
    return sum(1 for _ in steps)


def tending(store: Store, clock: FakeClock, **limits: object) -> UpkeepRunner:
    """Return what keeps one store in order."""
    care = UpkeepOptions(StoreLimits(**limits), "test", rest=lambda seconds: None)  # type: ignore[arg-type]  # our own names
    return UpkeepRunner(Scopes(store), clock, care)


class Ticking:
    """A timer that goes on by a fixed step at every look."""

    def __init__(self, step: float) -> None:
        self._step = step
        self._now = 0.0

    def __call__(self) -> float:
        self._now += self._step
        return self._now
