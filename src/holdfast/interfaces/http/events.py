"""Changes as they happen, as server-sent events: ids and what was done to them, never content.

They are read from the audit log, so every worker tells of the changes of all, and a client that was away goes on
after the last event it had (`Last-Event-ID`).
"""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable

from msgspec import Struct, field

from holdfast.errors import InvalidInput
from holdfast.interfaces.http import monitoring
from holdfast.interfaces.http.access import Headers
from holdfast.interfaces.http.asgi import Receive, Send
from holdfast.interfaces.http.projects import Caller
from holdfast.model.limits import BATCH
from holdfast.model.records import Event, LogPart

Fetch = Callable[[Caller, int | None], Awaitable[LogPart]]

POLL_S = 0.5
"""How often a project's log is looked at while somebody listens: what a person takes for at once."""

BEAT_S = 15.0
"""How often a silent stream says that it is there; a proxy would close it otherwise."""

GAP = b"event: gap\ndata: {}\n\n"
"""Sent where events were missed that are not kept any more: what a client knows may be out of date."""

_HEADERS = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
    (b"x-content-type-options", b"nosniff"),
]


class _Feed(Struct, eq=False):
    """One project's changes in this process: asked for once, told to everybody who listens."""

    last: int
    """What its first listener was told of; a later one looks once for itself."""
    listeners: dict[asyncio.Event, Caller] = field(default_factory=dict)
    task: "asyncio.Task[None] | None" = None


class Events:
    """The streams of one worker."""

    def __init__(self, fetch: Fetch, holds: Callable[[Caller], bool], stopping: asyncio.Event) -> None:
        self._fetch = fetch
        self._holds = holds
        self._stopping = stopping
        self._feeds: dict[tuple[str, str | None], _Feed] = {}

    async def stream(self, caller: Caller, headers: Headers, receive: Receive, send: Send) -> None:
        """Tell a client of every change until it leaves, its token goes, or the server stops."""
        cursor = _last_seen(headers)
        part = await self._fetch(caller, cursor)
        await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
        await send({"type": "http.response.body", "body": b": ok\n\n", "more_body": True})
        async with self._listening(caller, part.last) as change_event, _leaving(receive) as leave_event:
            while self._goes_on(leave_event, caller):
                await self._tell(part, send)
                if len(part.events) < BATCH and not await self._wait(change_event, leave_event, caller, send):
                    break
                part = await self._fetch(caller, part.last)
        await send({"type": "http.response.body", "body": b""})

    async def _wait(
        self, change_event: asyncio.Event, leave_event: asyncio.Event, caller: Caller, send: Send
    ) -> bool:
        """Wait for a change; say whether to go on."""
        while not change_event.is_set():
            waits = [asyncio.ensure_future(event.wait()) for event in (change_event, leave_event, self._stopping)]
            await asyncio.wait(waits, timeout=BEAT_S, return_when=asyncio.FIRST_COMPLETED)
            for task in waits:
                task.cancel()
            if not self._goes_on(leave_event, caller):
                return False
            if not change_event.is_set():
                await send({"type": "http.response.body", "body": b": still here\n\n", "more_body": True})
        change_event.clear()
        return True

    def _goes_on(self, leave_event: asyncio.Event, caller: Caller) -> bool:
        return not leave_event.is_set() and not self._stopping.is_set() and self._holds(caller)

    async def _watch(self, feed: _Feed) -> None:
        """Look for changes again and again; what goes wrong is noted once, until a look succeeds."""
        failure = ""
        while True:
            try:
                await self._look(feed)
                failure = ""
            except Exception as error:  # whatever it was, the next look may succeed
                if type(error).__name__ != failure:
                    failure = type(error).__name__
                    monitoring.note("watch", error=failure)
            await asyncio.sleep(POLL_S)

    async def _look(self, feed: _Feed) -> None:
        """Look for changes once, in the name of somebody who listens now and may."""
        caller = next((candidate for candidate in feed.listeners.values() if self._holds(candidate)), None)
        if caller is None:
            return
        part = await self._fetch(caller, feed.last)
        feed.last = part.last
        if part.events:
            for listener in feed.listeners:
                listener.set()

    async def _tell(self, part: LogPart, send: Send) -> None:
        lines = [GAP] if part.gap else []
        lines += [_line(number, event) for number, event in part.events]
        if lines:
            await send({"type": "http.response.body", "body": b"".join(lines), "more_body": True})

    @contextlib.asynccontextmanager
    async def _listening(self, caller: Caller, last: int) -> AsyncIterator[asyncio.Event]:
        key = (caller.token.tenant, caller.project)
        feed = self._feeds.setdefault(key, _Feed(last))
        change_event = asyncio.Event()
        change_event.set()  # what happened between the first look and now
        feed.listeners[change_event] = caller
        feed.task = feed.task or asyncio.create_task(self._watch(feed))
        try:
            yield change_event
        finally:
            del feed.listeners[change_event]
            if not feed.listeners:
                self._feeds.pop(key, None)
                feed.task.cancel()


@contextlib.asynccontextmanager
async def _leaving(receive: Receive) -> AsyncIterator[asyncio.Event]:
    leave_event = asyncio.Event()

    async def watch() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        leave_event.set()

    task = asyncio.create_task(watch())
    try:
        yield leave_event
    finally:
        task.cancel()


def _last_seen(headers: Headers) -> int | None:
    for name, value in headers:
        if name == b"last-event-id":
            if not (value.isdigit() and len(value) < 19):
                raise InvalidInput(field="Last-Event-ID", problem="must be the id of an event, a whole number.")
            return int(value)
    return None


def _line(number: int, event: Event) -> bytes:
    data = {"action": event.action, "actor": event.actor, "at": event.at, "ids": event.ids}
    return f"id: {number}\nevent: {event.action}\ndata: {json.dumps(data)}\n\n".encode()
