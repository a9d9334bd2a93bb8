"""The time a hook may take: a second thread that ends the process, whatever the first one is waiting for. Light.

The budget is for waiting: for a lock, a disk, a pipe. Time in which the process computed, or had no processor,
does not count against it. How much there is to compute is bounded by what is read, and a hook that gave up on a
busy machine would lose what was said. `MOST_MS` bounds all of it.
"""

import _thread
import os
import time

TYPE_CHECKING = False  # typing's own, without importing typing
if TYPE_CHECKING:
    from collections.abc import Callable

MOST_MS = 1_000
"""What a hook may take beyond its budget when it computes slowly or gets no processor."""

_SECOND = 1_000.0
_budget = [0]


def guard(budget_ms: int, on_giving_up: "Callable[[int], None]") -> None:
    """End the process with success once the budget is spent, after a last call that must be quick."""
    allow(budget_ms)
    _thread.start_new_thread(_watch, (_thread.get_native_id(), on_giving_up))


def allow(budget_ms: int) -> None:
    """Grant so much time in all; what was granted before is not taken back."""
    _budget[0] = max(_budget[0], budget_ms)


def _watch(thread: int, on_giving_up: "Callable[[int], None]") -> None:
    while True:
        alive = _alive_ms()
        waited = alive - time.process_time() * _SECOND - _starved_ms(thread)
        left = min(_budget[0] - waited, _budget[0] + MOST_MS - alive)
        if left <= 0:
            break
        time.sleep(max(left, 1.0) / _SECOND)
    try:
        on_giving_up(int(alive))
    finally:
        os._exit(0)


def _born() -> float:
    """Return when the process began, on the clock that counts since the machine did."""
    try:
        with open("/proc/self/stat", "rb") as file:
            ticks = int(file.read().rpartition(b")")[2].split()[19])
        return ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return time.monotonic()


def _now() -> float:
    return time.clock_gettime(time.CLOCK_BOOTTIME) if _BOOT else time.monotonic()


_BOOT = hasattr(time, "CLOCK_BOOTTIME") and os.path.exists("/proc/self/stat")
_BORN = _born()


def _alive_ms() -> float:
    return max(0.0, (_now() - _BORN) * _SECOND)


def _starved_ms(thread: int) -> float:
    """Return how long a thread was ready to run and had no processor; 0 where the system does not tell."""
    try:
        with open(f"/proc/self/task/{thread}/schedstat", "rb") as file:
            return int(file.read().split()[1]) / 1e6
    except (OSError, ValueError, IndexError):
        return 0.0
