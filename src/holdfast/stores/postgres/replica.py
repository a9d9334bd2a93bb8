"""A server that follows another: it is asked only what it has heard of already.

What this process wrote it must also read, and what was written before it began. So it remembers how far the log of
the first server was when it began and after its last write, and a read stays at the replica when that has replayed
so much.
"""

import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holdfast.stores.postgres.pool import Pool

REPLICA_S = 1
"""Seconds to wait for it: fewer than for the first server, which answers the same."""

REST_S = 30.0
"""How long one that does not answer is left alone."""


class Replica:
    """The connections to a replica, and what it must have heard of."""

    def __init__(self, pool: "Pool") -> None:
        self.pool = pool
        self._lock = threading.Lock()
        self._written_position = 0
        self._resting_until = 0.0

    def wrote(self, position: str) -> None:
        """Note how far the log of the first server was after a write."""
        with self._lock:
            self._written_position = max(self._written_position, _number(position))

    def has(self, position: str | None) -> bool:
        """Say whether one that has replayed so much has everything that was written here."""
        return position is not None and _number(position) >= self._written_position

    @property
    def resting(self) -> bool:
        """Whether it is left alone, as it did not answer."""
        return time.monotonic() < self._resting_until

    def lost(self) -> None:
        """Note that it did not answer."""
        self._resting_until = time.monotonic() + REST_S


def _number(position: str) -> int:
    high, low = position.split("/")
    return int(high, 16) << 32 | int(low, 16)
