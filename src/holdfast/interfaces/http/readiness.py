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
        self._check_task: asyncio.Task[None] | None = None
        self._answered_at = 0.0

    async def check(self) -> None:
        """Raise when the store cannot be used."""
        loop = asyncio.get_running_loop()
        if self._check_task is None or (self._check_task.done() and loop.time() - self._answered_at > FRESH_S):
            self._check_task = asyncio.create_task(asyncio.to_thread(self._look))
            self._check_task.add_done_callback(self._note_answer)
        finished_tasks, _ = await asyncio.wait([self._check_task], timeout=READY_S)
        if not finished_tasks or self._check_task.cancelled() or self._check_task.exception():
            raise ServerBusy(problem="The store cannot be used.", seconds=5)

    def _note_answer(self, task: "asyncio.Task[None]") -> None:
        self._answered_at = task.get_loop().time()
        if not task.cancelled():
            task.exception()  # known now, also where nobody waited for it
