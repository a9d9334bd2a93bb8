"""Whether the store can be used, for whoever asks without a token: one look for all, one a second."""

import asyncio
from collections.abc import Callable

from holdfast.errors import ServerBusy

READY_S = 5.0
FRESH_S = 1.0
"""How long an answer holds."""


class Readiness:
    """The last look, or the one under way."""

    def __init__(self, look: Callable[[], None]) -> None:
        self._look = look
        self._asked: asyncio.Task[None] | None = None
        self._answered_at = 0.0

    async def check(self) -> None:
        """Raise when the store cannot be used."""
        loop = asyncio.get_running_loop()
        if self._asked is None or (self._asked.done() and loop.time() - self._answered_at > FRESH_S):
            self._asked = asyncio.create_task(asyncio.to_thread(self._look))
            self._asked.add_done_callback(self._answered)
        done, _ = await asyncio.wait([self._asked], timeout=READY_S)
        if not done or self._asked.cancelled() or self._asked.exception():
            raise ServerBusy(problem="The store cannot be used.", seconds=5)

    def _answered(self, asked: "asyncio.Task[None]") -> None:
        self._answered_at = asked.get_loop().time()
        if not asked.cancelled():
            asked.exception()  # known now, also where nobody waited for it
