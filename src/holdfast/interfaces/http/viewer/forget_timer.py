"""Carrying out what was forgotten with a window: when the window is over, or when the server stops.

A server that is killed leaves that to whoever looks after the store next.
"""

import asyncio
from collections.abc import Awaitable, Callable

from holdfast.interfaces.http import request_log
from holdfast.interfaces.http.projects import Caller
from holdfast.service.forget_window import WINDOW_MS

Key = tuple[str, str | None, str]

RETRY_S = 5.0
"""How soon what could not be forgotten, as while hooks write, is tried again."""

SPARE_S = 0.05
"""How much later than the end of the window: a timer may wake a little early."""


class ForgetTimer:
    """What waits to be forgotten in one worker, by whose memory it is in."""

    def __init__(self, carry_out: Callable[[Caller, bool], Awaitable[int]]) -> None:
        self._carry_out = carry_out
        self._waiting: dict[Key, tuple[Caller, set[asyncio.Task[None]]]] = {}

    def start(self, caller: Caller) -> None:
        """Let what was just asked to be forgotten go when its window is over."""
        key = (caller.token.tenant, caller.project, caller.token.name)
        _, tasks = self._waiting.setdefault(key, (caller, set()))
        task = asyncio.create_task(self._after_window(caller))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    async def end(self) -> None:
        """Forget now what is still on its way: nobody can take it back from here any more."""
        for caller, tasks in self._waiting.values():
            if tasks:
                for task in tuple(tasks):
                    task.cancel()
                await self._forget(caller, everything=True)

    async def _after_window(self, caller: Caller) -> None:
        await asyncio.sleep(WINDOW_MS / 1000 + SPARE_S)
        while not await self._forget(caller, everything=False):
            await asyncio.sleep(RETRY_S)

    async def _forget(self, caller: Caller, *, everything: bool) -> bool:
        """Say whether nothing is left that is due."""
        try:
            return not await self._carry_out(caller, everything)
        except Exception as error:  # whatever it was, it is tried again, here or by who looks after the store next
            request_log.note("forget", error=type(error).__name__)
            return False
