"""What blocks, in threads: a request waits for it so long and no longer, nor does the end of the server."""

import asyncio
import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, TypeVar

from holdfast.errors import ServerBusy

T = TypeVar("T")
CLOSING_S = 2.0
"""How long closing may take once nothing is waited for any more: a store that hangs stops no server."""


class Work:
    """The threads of one worker."""

    def __init__(self, threads: int) -> None:
        self._threads = ThreadPoolExecutor(threads, "holdfast")
        self._under_way: set[Future[Any]] = set()
        self._share = max(1, threads - max(1, threads // 4))
        self._shares: dict[str, asyncio.Semaphore] = {}

    async def finished(self, act: Callable[[], T], within_s: float | None = None, owner: str = "") -> T:
        """Return what comes of it. When it takes too long the client is told what became of it instead.

        One token has three quarters of the threads at most; what it asks beyond that waits here. However much it
        asks, and however long its store hangs, others are served.
        """
        share = await self._part_of(owner, within_s)
        future = self._threads.submit(act)
        self._under_way.add(future)
        future.add_done_callback(self._under_way.discard)
        future.add_done_callback(_giving_back(share, asyncio.get_running_loop()))
        wrapped_future = asyncio.wrap_future(future)
        finished_tasks, _ = await asyncio.wait([wrapped_future], timeout=within_s)
        if not finished_tasks:
            raise too_late(within_s or 0.0, future.cancel())
        return wrapped_future.result()

    async def _part_of(self, owner: str, within_s: float | None) -> asyncio.Semaphore | None:
        """Wait for a thread of somebody's share."""
        if not owner:
            return None
        share = self._shares.setdefault(owner, asyncio.Semaphore(self._share))
        try:
            await asyncio.wait_for(share.acquire(), within_s)
        except TimeoutError:
            raise too_late(within_s or 0.0, cancelled=True) from None
        return share

    async def end(self, seconds: float, close: Callable[[], None]) -> None:
        """Wait so long for what is under way, then close what it used; both off the loop, and bounded."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        loop, end_event = asyncio.get_running_loop(), asyncio.Event()

        def last() -> None:
            wait(set(self._under_way), seconds)
            try:
                close()
            finally:
                with contextlib.suppress(RuntimeError):  # the loop did not wait
                    loop.call_soon_threadsafe(end_event.set)

        threading.Thread(target=last, daemon=True).start()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds + CLOSING_S):
                await end_event.wait()


def _giving_back(
    share: asyncio.Semaphore | None, loop: asyncio.AbstractEventLoop
) -> Callable[["Future[Any]"], None]:
    """Return what gives a thread back to its share: when it is free, not when nobody waits for it any more."""

    def give_back(_: "Future[Any]") -> None:
        if share:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(share.release)

    return give_back


def stopped() -> ServerBusy:
    """Return the error for what a server that stops did not wait for."""
    problem = "The server stops, and did not wait for it: look whether it was done before you ask again."
    return ServerBusy(problem=problem, seconds=5)


def too_late(seconds: float, cancelled: bool) -> ServerBusy:
    """Return the error for what took too long: it says whether something may have been done."""
    state = "it was still in the queue, and nothing was done" if cancelled else "it is still being done"
    return ServerBusy(problem=f"It took longer than {seconds:g} s; {state}.", seconds=5)
