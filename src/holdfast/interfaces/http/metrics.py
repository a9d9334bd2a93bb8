"""What is counted, for Prometheus. Each worker counts in a file of its own; whoever is asked adds them up.

The file of a worker that died stays, so that no counter ever goes back. Nothing here names a tenant or an entry.
"""

import contextlib
import mmap
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from holdfast.interfaces.http.routes import OPERATIONS
from holdfast.interfaces.http.viewer.operations import VIEWER_OPERATIONS
from holdfast.machine.handles import open_handle

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
OTHER = "other"
ROUTES = (
    *OPERATIONS, "events", "whoami", "mcp", "openapi", "metrics", "health", "ready",
    *VIEWER_OPERATIONS, "viewer", "entry", "login", "logout", "me", OTHER,
)  # fmt: skip
STATUSES = (200, 202, 204, 304, 400, 401, 403, 404, 405, 406, 408, 409, 413, 415, 421, 422, 429, 500, 503)
BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
GAUGES = ("requests_in_flight", "event_streams")

_COUNTS = len(ROUTES) * len(STATUSES)
_TIMES = len(BOUNDS) + 2  # every bound, beyond them, and the sum
_NUMBERS = _COUNTS + len(ROUTES) * _TIMES + len(GAUGES)
_SUFFIX = ".metrics"


class Metrics:
    """The counters of one worker, and the sum of all."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        path = folder / f"{os.getpid()}{_SUFFIX}"
        file = open_handle(path, os.O_CREAT | os.O_RDWR)
        os.ftruncate(file, _NUMBERS * 8)
        self._map = mmap.mmap(file, _NUMBERS * 8)
        os.close(file)
        self._own = memoryview(self._map).cast("d")
        for place in range(_NUMBERS - len(GAUGES), _NUMBERS):  # one with the same number may have died here
            self._own[place] = 0.0
        self._routes = {name: place for place, name in enumerate(ROUTES)}
        self._statuses = {status: place for place, status in enumerate(STATUSES)}

    def answered(self, route: str, status: int, seconds: float) -> None:
        """Count an answer."""
        place = self._routes.get(route, self._routes[OTHER])
        status_place = self._statuses.get(status, self._statuses[500] if status >= 500 else self._statuses[400])
        self._own[place * len(STATUSES) + status_place] += 1
        first = _COUNTS + place * _TIMES
        self._own[
            first + next((bucket for bucket, bound in enumerate(BOUNDS) if seconds <= bound), len(BOUNDS))
        ] += 1
        self._own[first + _TIMES - 1] += seconds

    @contextlib.contextmanager
    def counted(self, gauge: str) -> Iterator[None]:
        """Count something while it lasts."""
        place = _NUMBERS - len(GAUGES) + GAUGES.index(gauge)
        self._own[place] += 1
        try:
            yield
        finally:
            self._own[place] -= 1

    def now(self, gauge: str) -> int:
        """Return how many of something there are in this worker."""
        return int(self._own[_NUMBERS - len(GAUGES) + GAUGES.index(gauge)])

    def text(self) -> str:
        """Return the sum over all workers, as Prometheus reads it."""
        rows = [
            (int(path.name.removesuffix(_SUFFIX)), _numbers(path)) for path in self._folder.glob(f"*{_SUFFIX}")
        ]
        total = [sum(column) for column in zip(*(numbers for _, numbers in rows), strict=True)]
        alive = [numbers for pid, numbers in rows if _alive(pid)]
        return "\n".join([*_requests(total), *_durations(total), *_gauges(alive), ""])

    def close(self) -> None:
        """Let go of the file; what it holds stays."""
        self._own.release()
        self._map.close()


def _numbers(path: Path) -> Sequence[float]:
    return memoryview(path.read_bytes().ljust(_NUMBERS * 8, b"\0")).cast("d")


def _alive(pid: int) -> bool:
    if sys.platform == "win32":  # one process serves there, and to ask after it would be to interrupt it
        return pid == os.getpid()
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _requests(total: Sequence[float]) -> Iterable[str]:
    yield "# HELP holdfast_requests_total Requests answered, by operation and status."
    yield "# TYPE holdfast_requests_total counter"
    for route, name in enumerate(ROUTES):
        for place, status in enumerate(STATUSES):
            if number := total[route * len(STATUSES) + place]:
                yield f'holdfast_requests_total{{operation="{name}",status="{status}"}} {number:.0f}'


def _durations(total: Sequence[float]) -> Iterable[str]:
    yield "# HELP holdfast_request_seconds How long answers took, by operation."
    yield "# TYPE holdfast_request_seconds histogram"
    for route, name in enumerate(ROUTES):
        first = _COUNTS + route * _TIMES
        counts = total[first : first + len(BOUNDS) + 1]
        if not sum(counts):
            continue
        so_far = 0.0
        for bound, number in zip((*map(str, BOUNDS), "+Inf"), counts, strict=True):
            so_far += number
            yield f'holdfast_request_seconds_bucket{{operation="{name}",le="{bound}"}} {so_far:.0f}'
        yield f'holdfast_request_seconds_sum{{operation="{name}"}} {total[first + _TIMES - 1]:.6f}'
        yield f'holdfast_request_seconds_count{{operation="{name}"}} {so_far:.0f}'


def _gauges(alive: Sequence[Sequence[float]]) -> Iterable[str]:
    for place, name in enumerate(GAUGES):
        yield f"# HELP holdfast_{name} How many there are now."
        yield f"# TYPE holdfast_{name} gauge"
        yield f"holdfast_{name} {sum(numbers[_NUMBERS - len(GAUGES) + place] for numbers in alive):.0f}"
    yield "# HELP holdfast_workers Worker processes that serve."
    yield "# TYPE holdfast_workers gauge"
    yield f"holdfast_workers {len(alive)}"
