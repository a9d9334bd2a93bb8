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

    async def finished(self, act: Callable[[], T], within_s: float | None = None) -> T:
        """Return what comes of it. When it takes too long the client is told what became of it instead."""
        begun = self._threads.submit(act)
        self._under_way.add(begun)
        begun.add_done_callback(self._under_way.discard)
        told = asyncio.wrap_future(begun)
        done, _ = await asyncio.wait([told], timeout=within_s)
        if not done:
            raise too_late(within_s or 0.0, begun.cancel())
        return told.result()

    async def end(self, seconds: float, close: Callable[[], None]) -> None:
        """Wait so long for what is under way, then close what it used; both off the loop, and bounded."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        loop, ended = asyncio.get_running_loop(), asyncio.Event()

        def last() -> None:
            wait(set(self._under_way), seconds)
            try:
                close()
            finally:
                with contextlib.suppress(RuntimeError):  # the loop did not wait
                    loop.call_soon_threadsafe(ended.set)

        threading.Thread(target=last, daemon=True).start()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds + CLOSING_S):
                await ended.wait()


def too_late(seconds: float, cancelled: bool) -> ServerBusy:
    """Return the error for what took too long: it says whether something may have been done."""
    state = "it was still in the queue, and nothing was done" if cancelled else "it is still being done"
    return ServerBusy(problem=f"It took longer than {seconds:g} s; {state}.", seconds=5)
