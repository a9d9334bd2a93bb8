"""The Model Context Protocol over HTTP, with the tools that agents have on this machine.

Every request stands alone (no session is kept), so any worker can answer it. Prompts act as a person at this
machine does, so they are for the administrators of its own memory alone.
"""

import asyncio
from collections.abc import Callable
from contextvars import ContextVar, copy_context
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from holdfast.errors import HoldfastError, RequestRefused, ScopeMissing
from holdfast.interfaces.http.access import check_scope
from holdfast.interfaces.http.asgi import Message, Receive, Scope, Send
from holdfast.interfaces.http.codec import from_json
from holdfast.interfaces.http.problems import outwards, refusal
from holdfast.interfaces.http.projects import Caller, Projects, Work, too_late
from holdfast.interfaces.mcp.catalogue import PERSON, switched_off
from holdfast.interfaces.mcp.verbs import Act
from holdfast.model.actor import ADMIN, READ, Token
from holdfast.settings.schema import ServerConfig

if TYPE_CHECKING:
    from mcp.server import Server

T = TypeVar("T")

_CALLER: ContextVar[Caller] = ContextVar("caller")
"""Who the request is of that is being answered."""


class _Shared:
    """`Memory` of the project that the request at hand is about."""

    def __init__(self, projects: Projects) -> None:
        self._projects = projects

    @property
    def place(self) -> str:
        return _CALLER.get().project or self._projects.served.project

    def run(self, act: Act[T], *, agent: str | None = None, create: bool = False, typed: str | None = None) -> T:
        in_person = typed is not None  # a prompt, which is for administrators only
        caller = replace(_CALLER.get(), agent=agent, through_tools=not in_person)
        return self._projects.run(caller, act, create=create)

    def allow(self, scope: str) -> None:
        """Refuse what the token is not for; acting in person takes one of this machine's whole memory."""
        token = _CALLER.get().token
        if scope == PERSON and not self._projects.served.of_this_machine:
            raise ScopeMissing(needed="of this machine's own memory", has=f"is of the tenant {token.tenant}")
        if scope == PERSON and token.project is not None:
            raise ScopeMissing(needed="for every project", has=f"is for {token.project} alone")
        check_scope(token, ADMIN if scope == PERSON else scope)


class Mount:
    """The server at `/mcp`, made with the first request.

    The SDK is 35 MB and a second of start-up, and most servers are asked over REST alone.
    """

    def __init__(self, projects: Projects, work: Work, directory: Path, limits: ServerConfig) -> None:
        self._verbs = _Shared(projects)
        self._work = work
        self._directory = directory
        self._limits = limits
        self._server: Server[Any] | None = None
        self._scopes: dict[str, str] = {}
        self._making = asyncio.Lock()
        self._late: set[asyncio.Task[None]] = set()

    async def answer(self, caller: Caller, body: bytes, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request whose body was read; what its token is not for is refused first."""
        if scope["method"] != "POST":
            raise refusal(405, "send what you have to say with POST.", [("allow", "POST")])
        async with self._making:
            if self._server is None:
                self._server = await asyncio.to_thread(self._made)
        self._check(caller.token, body)
        _CALLER.set(caller)
        await self._within(self._server, scope, _replay(body, receive), send)

    def _made(self) -> "Server[Any]":
        from holdfast.interfaces.mcp.server import RequestHandler, build
        from holdfast.interfaces.mcp.tools import tools

        off = switched_off(str(self._directory))
        self._scopes = {tool.name: tool.scope for tool in tools(off)}
        return build(
            RequestHandler(
                self._verbs, lambda: self._directory, lambda: off, self._verbs.allow, outwards, self._in_thread
            )
        )

    async def _within(self, server: "Server[Any]", scope: Scope, receive: Receive, send: Send) -> None:
        """Answer in time or not at all: nothing is sent before the answer is whole, so an error can follow."""
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        manager = StreamableHTTPSessionManager(
            server, stateless=True, json_response=True, max_request_body_size=self._limits.body_bytes
        )
        late = False

        async def in_time(message: Message) -> None:
            if not late:
                await send(message)

        async def handle() -> None:
            async with manager.run():
                await manager.handle_request(scope, receive, in_time)

        task = asyncio.create_task(handle())
        try:
            await asyncio.wait([task], timeout=self._limits.request_s)
        finally:
            if not task.done():  # too late, or the server stops and says so itself
                late = True
                self._late.add(task)
                task.add_done_callback(self._late.discard)
                task.cancel()
        if late:
            raise too_late(self._limits.request_s, cancelled=False)
        await task

    async def _in_thread(self, act: Callable[[], T]) -> T:
        """Run what a tool does in a thread of the share that its token has here and at `/api` together."""
        token_id = _CALLER.get().token.id
        return await self._work.finished(partial(copy_context().run, act), self._limits.request_s, token_id)

    def _check(self, token: Token, body: bytes) -> None:
        check_scope(token, READ)
        try:
            payload = from_json(body)
        except RequestRefused:
            return  # the protocol has its own word for that
        for message in payload if isinstance(payload, list) else [payload]:
            if isinstance(message, dict) and message.get("method") == "tools/call":
                params = message.get("params")
                name = params.get("name") if isinstance(params, dict) else None
                self._check_tool(token, name)

    def _check_tool(self, token: Token, name: object) -> None:
        scope = self._scopes.get(name) if isinstance(name, str) else None
        if scope is None:
            return
        try:
            check_scope(token, scope)
        except HoldfastError as error:
            challenge = f'Bearer realm="holdfast", error="insufficient_scope", scope="{scope}"'
            raise ScopeMissing(**error.facts, headers=(("www-authenticate", challenge),)) from None


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return what hands out a body that was read already, and then what comes after it."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> Message:
        return messages.pop() if messages else await receive()

    return replayed
