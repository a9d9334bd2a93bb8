"""A server that follows another: it is asked only what it has heard of already.

What this process wrote it must also read. So it remembers how far the log of the first server was after its last
write, and a read goes to the replica when that has replayed so much.
"""

import contextlib
import threading
import time
from typing import TYPE_CHECKING

import psycopg
from psycopg_pool import ConnectionPool, PoolTimeout

if TYPE_CHECKING:
    from holdfast.stores.postgres.connection import Connection

REST_S = 30.0
"""How long one that does not answer is left alone."""


class Replica:
    """The connections to a replica, and what it must have heard of."""

    def __init__(self, pool: "ConnectionPool[Connection]") -> None:
        self.pool = pool
        self._lock = threading.Lock()
        self._written = 0
        self._resting_until = 0.0

    def wrote(self, position: str) -> None:
        """Note how far the log of the first server was after a write."""
        with self._lock:
            self._written = max(self._written, _number(position))

    def ready(self) -> bool:
        """Say whether it can be asked: it answers, and has everything that was written here."""
        if time.monotonic() < self._resting_until:
            return False
        if not self._written:
            return True
        with contextlib.suppress(psycopg.Error, PoolTimeout), self.pool.connection() as connection:
            row = connection.execute("SELECT pg_last_wal_replay_lsn()::text").fetchone()
            return bool(row and row[0] and _number(row[0]) >= self._written)
        self.lost()
        return False

    def lost(self) -> None:
        """Note that it did not answer."""
        self._resting_until = time.monotonic() + REST_S

    def close(self) -> None:
        self.pool.close(timeout=1)


def _number(position: str) -> int:
    high, low = position.split("/")
    return int(high, 16) << 32 | int(low, 16)
