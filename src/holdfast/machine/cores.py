"""How many cores this process may keep busy: those that it is allowed to run on, within a container's share."""

import os

MOST_CORES = 8
"""A bound, not a measurement: two were measured. Handing texts out is one thread's work, so it ends somewhere."""

CPU_MAX = "/sys/fs/cgroup/cpu.max"
"""Where Linux says how much time a container gets: `200000 100000` is two cores' worth, `max 100000` all."""


def usable_cores(cpu_max: str = CPU_MAX) -> int:
    """Return how many threads that compute are worth starting."""
    return max(1, min(_allowed_cores(), _granted_cores(cpu_max), MOST_CORES))


def _allowed_cores() -> int:
    affinity = getattr(os, "sched_getaffinity", None)  # not on every system
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _granted_cores(cpu_max: str) -> int:
    try:
        with open(cpu_max, encoding="ascii") as file:
            quota, period = file.read().split()
        return MOST_CORES if quota == "max" else -(-int(quota) // int(period))
    except (OSError, ValueError, ZeroDivisionError):
        return MOST_CORES  # no container, or none that says
