"""Waiting until a file is left alone: an editor saves in bursts, and only the last state counts."""

QUIET_MS = 500
MOST_MS = 10_000
"""A file that is never left alone is read at least this often."""


class Quiet:
    """Paths that changed, each until nothing has happened to it for a while."""

    def __init__(self, quiet_ms: int = QUIET_MS, most_ms: int = MOST_MS) -> None:
        self._quiet_ms = quiet_ms
        self._most_ms = most_ms
        self._touch_times: dict[str, tuple[int, int]] = {}
        """When each was first and last touched."""

    def touch(self, path: str, now: int) -> None:
        """Note that something happened to a path."""
        first, _ = self._touch_times.get(path, (now, now))
        self._touch_times[path] = (first, now)

    def due(self, now: int) -> list[str]:
        """Return, and let go of, what has been quiet long enough, or busy for too long."""
        ready = [
            path
            for path, (first, last) in self._touch_times.items()
            if now - last >= self._quiet_ms or now - first >= self._most_ms
        ]
        for path in ready:
            del self._touch_times[path]
        return ready
