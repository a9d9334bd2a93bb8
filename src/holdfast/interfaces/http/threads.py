"""What blocks, in threads: a request waits for it so long and no longer, nor does the end of the server.

Where requests compute in this process, a `Gate` lets one after another in, and a second one beside a first that
takes long: two threads that compute at once get through less than one does, for they share Python's lock, and each
has a connection with caches of its own. But nobody is to wait for somebody else's long work.
"""

import asyncio
import contextlib
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any, TypeVar

from holdfast.errors import ServerBusy

T = TypeVar("T")
STOPPING_S = 10
"""How long requests under way may take when the server stops."""

CLOSING_S = 2.0
"""How long closing may take once nothing is waited for any more: a store that hangs stops no server."""


class Work:
    """The threads of the server. One token has three quarters of them at most, and waits here for more."""

    def __init__(self, threads: int) -> None:
        self._threads = ThreadPoolExecutor(threads, "holdfast")
        self._under_way: set[Future[Any]] = set()
        share = max(1, threads - max(1, threads // 4))
        self._shares: defaultdict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(share))

    async def finished(self, act: Callable[[], T], within_s: float | None = None, owner: str = "") -> T:
        """Return the result. When it takes too long the client is told what became of it instead.

        A share is given back when the thread is free, not when the client stops waiting for it.
        """
        began = time.monotonic()
        share = self._shares[owner]
        try:
            async with asyncio.timeout(within_s):
                await share.acquire()
        except TimeoutError:
            raise too_late(within_s or 0.0, cancelled=True) from None
        future = self._threads.submit(act)
        self._under_way.add(future)
        future.add_done_callback(self._under_way.discard)
        wrapped_future = asyncio.wrap_future(future)
        wrapped_future.add_done_callback(lambda _: share.release())
        left_s = None if within_s is None else max(0.0, within_s - (time.monotonic() - began))
        finished_tasks, _ = await asyncio.wait([wrapped_future], timeout=left_s)
        if not finished_tasks:
            raise too_late(within_s or 0.0, future.cancel())
        return wrapped_future.result()

    async def end(self, close: Callable[[], None]) -> None:
        """Wait for what is under way, then close what it used; both off the loop, and bounded."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        loop, end_event = asyncio.get_running_loop(), asyncio.Event()

        def last() -> None:
            wait(set(self._under_way), STOPPING_S)
            try:
                close()
            finally:
                with contextlib.suppress(RuntimeError):  # the loop did not wait
                    loop.call_soon_threadsafe(end_event.set)

        threading.Thread(target=last, daemon=True).start()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(STOPPING_S + CLOSING_S):
                await end_event.wait()


def stopped() -> ServerBusy:
    """Return the error for what a server that stops did not wait for."""
    problem = "The server stops, and did not wait for it: look whether it was done before you ask again."
    return ServerBusy(problem=problem, seconds=5)


def too_late(seconds: float, cancelled: bool) -> ServerBusy:
    """Return the error for what took too long: it says whether something may have been done."""
    state = "it was still in the queue, and nothing was done" if cancelled else "it is still being done"
    return ServerBusy(problem=f"It took longer than {seconds:g} s; {state}.", seconds=5)


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
