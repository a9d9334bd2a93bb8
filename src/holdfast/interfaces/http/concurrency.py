"""Who works next in one process: one after another, and a second one beside a first that takes long.

Two threads that compute at once get through less than one does: they share Python's lock, and each has a
connection with caches of its own. But nobody is to wait for somebody else's long work.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Gate:
    """Lets threads in, first come, first served: the next one when nobody is inside, or has been for a while."""

    def __init__(self, most: int, patience_s: float, timer: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._patience_s = patience_s
        self._timer = timer
        self._queue: deque[object] = deque()
        self._inside: dict[object, float] = {}
        self._condition = threading.Condition()

    @property
    def waiting(self) -> int:
        """How many stand in the queue."""
        return len(self._queue)

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Wait until it is our time, and be inside."""
        ticket = object()
        with self._condition:
            self._queue.append(ticket)
            try:
                while self._queue[0] is not ticket:
                    self._condition.wait()
                while (seconds := self._until_free()) != 0:
                    self._condition.wait(seconds)
                self._inside[ticket] = self._timer()
            finally:
                self._queue.remove(ticket)
                self._condition.notify_all()
        try:
            yield
        finally:
            with self._condition:
                del self._inside[ticket]
                self._condition.notify_all()

    def _until_free(self) -> float | None:
        """Say in how many seconds the next one may enter, if nobody leaves until then; None: not before."""
        if len(self._inside) >= self._most:
            return None
        latest = max(self._inside.values(), default=None)
        return 0.0 if latest is None else max(0.0, latest + self._patience_s - self._timer())
