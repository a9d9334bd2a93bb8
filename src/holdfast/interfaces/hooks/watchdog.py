"""The time a hook may take: a second thread that ends the process, whatever the first one is waiting for. Light.

Two limits: `guard` bounds everything, `within` bounds what comes next. Both count at the pace at which the
process has been getting on so far: on a machine so busy that a millisecond of work takes ten, a hook has ten
times as long. Whatever gave up because others are busy would lose what was said.
"""

import _thread
import os
import sys
import time
from collections.abc import Callable

from holdfast.machine import environment

MOST_PACE = 10.0
"""What a process may conclude by itself; whoever says more knows the machine."""

_NAP_MS = 20.0
_limits = [float("inf"), float("inf")]
_WHOLE, _STEP = 0, 1
_step_ms = [0.0]
"""How long what goes on now was given."""


def guard(most_ms: float, on_giving_up: Callable[[int], object]) -> None:
    """End the process with success after so long in all, after a last call that must be quick."""
    _limits[_WHOLE] = most_ms * _pace()
    _thread.start_new_thread(_watch, (on_giving_up,))


def extend(most_ms: float) -> None:
    """Let the process take so long in all; what was granted before is not taken back."""
    _limits[_WHOLE] = max(_limits[_WHOLE], most_ms * _pace())


def within(budget_ms: float) -> None:
    """Let what comes now take so long."""
    _step_ms[0] = budget_ms * _pace()
    _limits[_STEP] = _alive_ms() + _step_ms[0]


def has_half_left() -> bool:
    """Say whether half of the time for what goes on now is left: else what can be left out is left out."""
    return min(_limits) - _alive_ms() >= _step_ms[0] / 2


def _watch(on_giving_up: Callable[[int], object]) -> None:
    while True:
        remaining_ms = min(_limits) - _alive_ms()
        if remaining_ms <= 0:
            break
        time.sleep(max(min(remaining_ms, _NAP_MS), 1.0) / 1_000)
    try:
        on_giving_up(int(_alive_ms()))
    finally:
        os._exit(0)


def _pace() -> float:
    """Return how much longer than its work this process has taken so far: 1 where it has the machine to itself.

    Where the machine is known to be slower than that, as slow as it is known to be.
    """
    return max(environment.known_pace(), min(MOST_PACE, _alive_ms() / max(1.0, time.process_time() * 1_000)))


if sys.platform == "linux" and os.path.exists("/proc/self/stat"):

    def _now() -> float:
        return time.clock_gettime(time.CLOCK_BOOTTIME)

    def _process_start() -> float:
        """Return when the process began, on the clock that counts since the machine did."""
        try:
            with open("/proc/self/stat", "rb") as file:
                ticks = int(file.read().rpartition(b")")[2].split()[19])
            return ticks / os.sysconf("SC_CLK_TCK")
        except (OSError, ValueError, IndexError):
            return _now()

else:  # how long the interpreter took to come this far is not known

    def _now() -> float:
        return time.monotonic()

    _process_start = _now

_STARTED_AT = _process_start()


def _alive_ms() -> float:
    return max(0.0, (_now() - _STARTED_AT) * 1_000)
