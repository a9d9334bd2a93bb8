"""The application: from a request to an answer. name → token → room → address → scope → body → verb.

Each step looks only at what it needs, and nothing is read from the body before the token is known to be good.
"""

import asyncio
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from urllib.parse import parse_qsl

from holdfast.errors import ServerBusy
from holdfast.interfaces.http import monitoring
from holdfast.interfaces.http.access import Headers, Names, Room, asked_project, check_project, check_scope
from holdfast.interfaces.http.asgi import ClientGone, Message, Receive, Scope, Send, answer, read_body, tell
from holdfast.interfaces.http.codec import encode_result, read_arguments, to_json
from holdfast.interfaces.http.events import Events
from holdfast.interfaces.http.mcp import Mount
from holdfast.interfaces.http.monitoring import IN_FLIGHT, MEDIA_TYPE, STREAMS, Metrics
from holdfast.interfaces.http.problems import problem_of, refusal
from holdfast.interfaces.http.projects import Caller, Projects, Readiness, Work, stopped
from holdfast.interfaces.http.routes import (
    OPERATIONS,
    PREFIXES,
    RouteMatch,
    Routes,
    document,
    operations_of,
    parts_of,
)
from holdfast.interfaces.http.viewer import operations as pages
from holdfast.interfaces.http.viewer.entry import (
    API,
    ENTRY,
    LOGIN,
    LOGOUT,
    ME,
    StaticFiles,
    ViewerEntry,
    send_file,
)
from holdfast.interfaces.http.viewer.operations import ForgetTimer, me_at
from holdfast.model.actor import READ, Token
from holdfast.model.records import LogPart
from holdfast.service.service import Service
from holdfast.settings.schema import ServerConfig
from holdfast.storage.tenancy import ServiceSource, tokens

OTHER = "other"
"""The operation of a request at an address where there is none."""

HEALTH = {"/healthz": "health", "/health": "health", "/readyz": "ready", "/ready": "ready"}
STREAMS_MOST = 64
"""Streams of events that are open at once."""

TIDY_S = 5.0
"""How often what nobody uses is closed."""

_MOST_QUERY = 500
"""Characters that are read of what follows the address of a health check."""

MOST_SIGN_IN = 4_096
"""Bytes of what somebody shows to sign in."""


class App:
    """The application of one server."""

    def __init__(
        self, source: ServiceSource, directory: Path, names: Names, limits: ServerConfig, *, local: bool = False
    ) -> None:
        self.limits = limits
        self.local = local
        """True for `holdfast view`, which serves the person who started it alone."""
        self._names = names
        self._tokens = tokens()
        self._metrics = Metrics()
        self._projects = Projects(source, limits.threads, statement_s=limits.request_s)
        self._work = Work(limits.threads)
        self._room = Room(max(1, limits.concurrency // 2))
        self._readiness = Readiness(self._projects.ready)
        self._routes = Routes(OPERATIONS.values())
        self.entry = ViewerEntry(self._tokens)
        self._files = StaticFiles()
        self._viewer_routes = Routes(operations_of(pages).values())
        self._forget_timer = ForgetTimer(self._carry_out_forgets)
        self._mcp = Mount(self._projects, self._work, directory, limits)
        self.stopping = asyncio.Event()
        """Set when the server stops: streams end then."""
        self._events = Events(self._changes, self._holds, self.stopping)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            await self._serve(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    # ── the life of the server ───────────────────────────────────────────────────────────────────────────

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        tending = asyncio.create_task(self._tend())
        await send({"type": "lifespan.startup.complete"})
        await receive()
        tending.cancel()
        await self._forget_timer.end()
        await self._work.end(self._projects.close)
        await send({"type": "lifespan.shutdown.complete"})

    async def _tend(self) -> None:
        """Close what nobody uses."""
        while True:
            await asyncio.sleep(TIDY_S)
            try:
                await asyncio.to_thread(self._projects.tidy)
            except Exception as error:  # whatever it was, there is a next time
                monitoring.note("tidy", error=type(error).__name__)

    # ── a request ────────────────────────────────────────────────────────────────────────────────────────

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = _Request(scope, receive, send)
        try:
            await self._answer(request)
        except ClientGone:
            request.status = 400
        except Exception as error:  # the last line of defence: a client gets a document, never a traceback
            problem = problem_of(error)
            request.error = problem.error
            if request.status is None:
                await tell(request.send, problem)
        except asyncio.CancelledError:  # it took longer than a server that stops waits
            request.error = ServerBusy.__name__
            if request.status is None:
                await tell(request.send, problem_of(stopped()))
        self._note(request)

    async def _answer(self, request: "_Request") -> None:
        self._names.check(request.headers)
        if request.path in HEALTH:
            request.route = HEALTH[request.path]
            await self._healthy(request)
            return
        if file := self._files.find(request.path):
            request.route = "viewer"
            _only_get(request)
            await send_file(request.send, file, request.headers)
            return
        if request.path in (ENTRY, LOGIN):
            await self._let_in(request)
            return
        request.token = token = self.entry.admit(request.method, request.headers)
        with self._metrics.counted(IN_FLIGHT):
            in_flight = self._metrics.now[IN_FLIGHT] - self._metrics.now[STREAMS]
            if in_flight > self.limits.concurrency:
                raise ServerBusy(problem="The server has as many requests as it takes on.", seconds=1)
            await self._dispatch(request, token)

    async def _dispatch(self, request: "_Request", token: Token) -> None:
        parts = parts_of(request.raw_path)
        whole = "/".join(parts)
        if whole == "mcp":
            with self._room.taken(token.id):
                await self._speak(request, token)
        elif whole == "openapi.json":
            await self._show(request, "openapi", lambda: to_json(document()))
        elif whole == "metrics":
            await self._show(request, "metrics", self._metrics.text, MEDIA_TYPE)
        elif parts[0] in PREFIXES and parts[1:] == ["whoami"]:
            await self._show(request, "whoami", lambda: _whoami(token))
        elif parts[0] in PREFIXES and parts[1:] == ["events"]:
            await self._listen(request, token)
        elif request.path == ME:
            with self._room.taken(token.id):
                me = await self._me(self._caller(request, token))
            await self._show(request, "me", lambda: to_json(me))
        elif request.path == LOGOUT:
            request.route = "logout"
            self.entry.sign_out(request.headers)
            await answer(request.send, 200, b"null")
        elif whole.startswith(API.strip("/") + "/"):
            route_match = self._viewer_routes.find(request.method, parts[2:])
            with self._room.taken(token.id):
                await self._operate(request, token, route_match)
        elif parts[0] in PREFIXES:
            route_match = self._routes.find(request.method, parts[1:])
            with self._room.taken(token.id):
                await self._operate(request, token, route_match)
        else:
            raise refusal(404, "there is nothing at this address. /openapi.json lists what there is.")

    async def _let_in(self, request: "_Request") -> None:
        """Say how one signs in here, or sign somebody in."""
        request.route = request.path.rpartition("/")[2]
        if request.path == ENTRY:
            await self._show(request, "entry", lambda: to_json({"local": self.local}))
            return
        if request.method != "POST":
            raise refusal(405, f"there is no {request.method} at this address, but POST.", [("allow", "POST")])
        body = await read_body(request.receive, request.headers, MOST_SIGN_IN, self.limits.patience_s)
        key, token = self.entry.sign_in(request.method, request.headers, body)
        request.token = token
        with self._room.taken(token.id):
            me = await self._me(self._caller(request, token))
        content = {"session": key, "expires": token.expires, "me": me}
        await answer(request.send, 200, to_json(content))

    async def _me(self, caller: Caller) -> dict[str, object]:
        """Say who somebody is, and what there is to choose from."""

        def facts() -> dict[str, object]:
            return self._projects.run(caller, me_at)

        own_names = {name: getattr(caller.token, name) for name in ("name", "scope", "tenant", "expires")}
        return {
            **own_names,
            "local": self.local,
            **await self._work.finished(facts, self.limits.request_s, caller.token.id),
        }

    async def _operate(self, request: "_Request", token: Token, route_match: RouteMatch) -> None:
        operation = route_match.operation
        request.route = operation.name
        check_scope(token, operation.scope)
        caller = self._caller(request, token)
        body = b""
        if operation.in_body:
            body = await read_body(
                request.receive, request.headers, self.limits.body_bytes, self.limits.patience_s
            )

        def act() -> bytes:
            arguments = read_arguments(operation, route_match.path, request.query, body)
            create = operation.scope != READ
            return self._projects.run(
                caller, lambda service: encode_result(operation.act(service, arguments)), create=create
            )

        content = await self._work.finished(act, self.limits.request_s, token.id)
        if operation is pages.forget:
            self._forget_timer.start(caller)
        await answer(request.send, 200, content, operation.media_type)

    async def _carry_out_forgets(self, caller: Caller, everything: bool) -> int:
        def act(service: Service) -> int:
            return service.forget_window.carry_out(everything=everything)

        return await self._work.finished(lambda: self._projects.run(caller, act), self.limits.request_s)

    async def _speak(self, request: "_Request", token: Token) -> None:
        request.route = "mcp"
        body = await read_body(request.receive, request.headers, self.limits.body_bytes, self.limits.patience_s)
        caller = self._caller(request, token)
        await self._mcp.answer(caller, body, request.scope, request.receive, request.send)

    async def _listen(self, request: "_Request", token: Token) -> None:
        request.route = "events"
        _only_get(request)
        check_scope(token, READ)
        if self._metrics.now[STREAMS] >= STREAMS_MOST:
            raise ServerBusy(problem="As many streams are open as the server takes on.", seconds=30)
        with self._metrics.counted(STREAMS):
            await self._events.stream(self._caller(request, token), request.headers, request.receive, request.send)

    async def _show(
        self, request: "_Request", route: str, make: Callable[[], bytes], media_type: str = "application/json"
    ) -> None:
        request.route = route
        _only_get(request)
        await answer(request.send, 200, make(), media_type)

    async def _healthy(self, request: "_Request") -> None:
        _only_get(request)
        if request.route == "ready":
            await self._readiness.check()
        parameters = dict(parse_qsl(request.query.decode("ascii", "replace")[:_MOST_QUERY]))
        health = {"status": "ok"}
        if request.route == "health" and parameters.keys() == {"token", "nonce"}:
            host = dict(request.headers)[b"host"].decode("latin-1")
            health["proof"] = self._tokens.proof(parameters["token"], host, parameters["nonce"])
        await answer(request.send, 200, to_json(health))

    def _caller(self, request: "_Request", token: Token) -> Caller:
        key = self.entry.key_in(request.headers)
        return Caller(token=token, project=check_project(token, asked_project(request.headers)), key=key)

    async def _changes(self, caller: Caller, number: int | None) -> LogPart:
        act = partial(self._projects.run, caller, lambda service: service.events_after(number))
        return await self._work.finished(act)

    def _holds(self, caller: Caller) -> bool:
        return self.entry.holds(caller.token, caller.key)

    def _note(self, request: "_Request") -> None:
        took = time.perf_counter() - request.began
        self._metrics.answered(request.route, request.status or 500, took)
        monitoring.note(
            "request",
            method=request.method if request.method.isalpha() else OTHER,
            operation=request.route,
            status=request.status,
            ms=round(took * 1000, 1),
            token=request.token.id if request.token else None,
            tenant=request.token.tenant if request.token else None,
            error=request.error,
        )


class _Request:
    """One request, and what becomes of it."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.scope = scope
        self.receive = receive
        self._send = send
        self.began = time.perf_counter()
        self.route = OTHER
        self.status: int | None = None
        self.token: Token | None = None
        self.error: str | None = None
        self.headers: Headers = scope["headers"]
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self.raw_path: bytes = scope.get("raw_path") or scope["path"].encode()
        self.query: bytes = scope.get("query_string", b"")

    async def send(self, message: Message) -> None:
        """Pass on an answer, and note its status."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
        await self._send(message)


def _only_get(request: _Request) -> None:
    if request.method != "GET":
        raise refusal(405, f"there is no {request.method} at this address, but GET.", [("allow", "GET")])


def _whoami(token: Token) -> bytes:
    names = ("id", "name", "tenant", "scope", "project", "expires")
    return to_json({name: getattr(token, name) for name in names})
