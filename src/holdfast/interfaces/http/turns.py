"""Who works next in one process: one after another, and a second one beside a first that takes long.

Two threads that compute at once get through less than one does: they share Python's lock, and each has a
connection with caches of its own. But nobody is to wait for somebody else's long work.
"""

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager


class Turns:
    """A queue of threads, first come, first served."""

    def __init__(self, most: int, patience_s: float) -> None:
        self._most = most
        self._patience_s = patience_s
        self._queue: deque[object] = deque()
        self._began: dict[object, float] = {}
        self._changed = threading.Condition()

    @property
    def waiting(self) -> int:
        """How many wait for their turn."""
        return len(self._queue)

    @contextmanager
    def one(self) -> Iterator[None]:
        """Wait for a turn, and have it."""
        turn = object()
        with self._changed:
            self._queue.append(turn)
            try:
                while self._queue[0] is not turn:
                    self._changed.wait()
                while (seconds := self._until_free()) != 0:
                    self._changed.wait(seconds)
                self._began[turn] = time.monotonic()
            finally:
                self._queue.remove(turn)
                self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                del self._began[turn]
                self._changed.notify_all()

    def _until_free(self) -> float | None:
        """Say in how many seconds the next one may begin, if nobody ends until then; None: not before."""
        if len(self._began) >= self._most:
            return None
        latest = max(self._began.values(), default=None)
        return 0.0 if latest is None else max(0.0, latest + self._patience_s - time.monotonic())
