"""The time a hook may take: a second thread that ends the process, whatever the first one is waiting for. Light.

Two limits. `guard` bounds everything from the process's start on; `within` bounds a step by what it waits for a
lock, a disk or another process, as how much there is to compute is bounded by what is read. Time in which the
process was ready and had no processor counts for neither: whatever gave up because a machine is busy would lose
what was said.
"""

import _thread
import os
import time

TYPE_CHECKING = False  # typing's own, without importing typing
if TYPE_CHECKING:
    from collections.abc import Callable

_SECOND = 1_000.0
_NAP_MS = 20.0
_used_limit = [0.0]
_waited_limit = [float("inf")]
_thread_id = _thread.get_native_id()


def guard(most_ms: float, on_giving_up: "Callable[[int], None]") -> None:
    """End the process with success after so long in all, after a last call that must be quick."""
    extend(most_ms)
    _thread.start_new_thread(_watch, (on_giving_up,))


def extend(most_ms: float) -> None:
    """Let the process take so long in all; what was granted before is not taken back."""
    _used_limit[0] = max(_used_limit[0], most_ms)


def within(budget_ms: float) -> None:
    """Let the process wait for so long from now on."""
    _waited_limit[0] = _waited_ms() + budget_ms


def _watch(on_giving_up: "Callable[[int], None]") -> None:
    while True:
        used = _alive_ms() - _starved_ms(_thread_id)
        left = min(_used_limit[0] - used, _waited_limit[0] - _waited_ms())
        if left <= 0:
            break
        time.sleep(max(min(left, _NAP_MS), 1.0) / _SECOND)
    try:
        on_giving_up(int(_alive_ms()))
    finally:
        os._exit(0)


def _waited_ms() -> float:
    """Return how long the first thread has waited for anything but a processor."""
    return _alive_ms() - time.process_time() * _SECOND - _starved_ms(_thread_id)


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
