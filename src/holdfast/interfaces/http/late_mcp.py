"""The Model Context Protocol of a worker that may never be asked for it: made with the first request.

The SDK behind it is 35 MB of every worker and a second of its start, and most servers are asked over REST alone.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.interfaces.http.asgi import Receive, Scope, Send
from holdfast.interfaces.http.projects import Caller, Projects
from holdfast.interfaces.http.threads import Work
from holdfast.settings.sections import ServerConfig

if TYPE_CHECKING:
    from holdfast.interfaces.http.mcp import Mount


class LateMount:
    """What answers at `/mcp`, once somebody asks."""

    def __init__(self, projects: Projects, work: Work, directory: Path, limits: ServerConfig) -> None:
        self._projects = projects
        self._work = work
        self._directory = directory
        self._limits = limits
        self._mount: asyncio.Future[Mount] | None = None
        self._lifetime: asyncio.Task[None] | None = None
        self._end = asyncio.Event()

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Be ready to be asked; what was made by then ends with this."""
        try:
            yield
        finally:
            self._end.set()
            if self._lifetime:
                await asyncio.wait([self._lifetime])

    async def answer(self, caller: Caller, body: bytes, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request whose body was read."""
        mount = await self._ready()
        await mount.answer(caller, body, scope, receive, send)

    async def _ready(self) -> "Mount":
        """Return the mount. One request makes it, others wait; where that failed, the next tries again."""
        if self._mount is None or (self._mount.done() and self._mount.exception()):
            self._mount = asyncio.get_running_loop().create_future()
            self._lifetime = asyncio.create_task(self._live(self._mount))
        return await asyncio.shield(self._mount)

    async def _live(self, mount_future: "asyncio.Future[Mount]") -> None:
        """Keep it ready until the worker ends: what it starts must end in the task that started it."""
        try:
            mount = await asyncio.to_thread(self._make)
            async with mount.running():
                mount_future.set_result(mount)
                await self._end.wait()
        except Exception as error:
            if mount_future.done():
                raise
            mount_future.set_exception(error)

    def _make(self) -> "Mount":
        from holdfast.interfaces.http.mcp import Mount

        return Mount(self._projects, self._work, self._directory, self._limits)
