"""The process below the application: it takes the address first, then serves until a signal ends it.

`holdfast view` is a server for the person who started it, on this machine alone, entered with a one-time code.
A `Connection` has an end for a client that never finishes its headers, or takes nothing of its answer.
"""

import asyncio
import contextlib
import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import uvicorn
from msgspec import Struct
from uvicorn.protocols.http.h11_impl import H11Protocol

from holdfast.errors import InvalidInput, PortTaken
from holdfast.interfaces.http import monitoring, projects
from holdfast.interfaces.http.access import Names
from holdfast.interfaces.http.app import App
from holdfast.interfaces.http.projects import VIEWER
from holdfast.model.actor import ADMIN, Token
from holdfast.settings.schema import ServerConfig
from holdfast.storage.tenancy import own_tenant, served_at
from holdfast.storage.workspace import find_workspace, person

BACKLOG = 1_024
IDLE_S = 60
"""How long a connection without a request is kept."""


def serve(directory: Path, config: ServerConfig, announce: Callable[[str], None]) -> None:
    """Serve a project's memory until a signal ends it; `announce` hears the address once it is ours."""
    with staged(directory, config.host, config.port, config) as server:
        announce(server.address)
        server.run()


class StagedServer(Struct, frozen=True):
    """A server whose address is ours, and that serves nobody yet."""

    app: App
    listening: socket.socket
    address: str

    def run(self) -> None:
        """Serve until a signal ends it; every request is logged, but not at a person's own terminal."""
        monitoring.configure(logging.WARNING if self.app.local else logging.INFO)
        _Process(uvicorn_config(self.app)).run([self.listening])


@contextlib.contextmanager
def staged(
    directory: Path, host: str, port: int, config: ServerConfig, *, local: bool = False
) -> Iterator[StagedServer]:
    """Open the store and take the address: what is wrong with either is said before anything is served."""
    source = served_at(directory)
    listening = listen(host, port)
    with _told_to_end(), listening:
        own_port = listening.getsockname()[1]
        names = Names.of(host, own_port, () if local else config.hosts, () if local else config.origins)
        app = App(source, directory.resolve(), names, config, local=local)
        yield StagedServer(app, listening, f"http://{_host_in_url(host)}:{own_port}")


@contextlib.contextmanager
def _told_to_end() -> Iterator[None]:
    """Exit with 0 on SIGTERM and on SIGHUP, which a terminal sends when it closes.

    uvicorn ends in order on SIGTERM and then raises the signal again, for the handler here. It does not know
    SIGHUP, which becomes SIGTERM: an exit raised while a request is answered would count as its failure.
    """
    handlers: dict[signal.Signals, Callable[[int, FrameType | None], None]] = {signal.SIGTERM: _exit}
    if sys.platform != "win32":
        handlers[signal.SIGHUP] = _end_in_order
    handlers_before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield
    finally:
        for number, handler in handlers_before.items():
            signal.signal(number, handler)


def _exit(_number: int, _frame: FrameType | None) -> NoReturn:
    sys.exit(0)


def _end_in_order(_number: int, _frame: FrameType | None) -> None:
    signal.raise_signal(signal.SIGTERM)


def listen(host: str, port: int) -> socket.socket:
    """Take an address for ourselves. It is never shared: what listens there already may be anybody's."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except socket.gaierror as error:
        raise InvalidInput(field="host", problem=f"cannot be found: {error.strerror}.") from error
    listening = socket.socket(family, kind, protocol)
    if sys.platform == "win32":  # where who reuses an address shares it, and so could anybody who does
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
    else:  # an address that was ours a moment ago can be ours again
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(address)
        listening.listen(BACKLOG)
    except OSError as error:
        listening.close()
        raise PortTaken(address=f"{_host_in_url(host)}:{port}", problem=error.strerror or str(error)) from error
    return listening


def uvicorn_config(app: App) -> uvicorn.Config:
    """Return how uvicorn is to run: our connection, our log, and nothing that trusts a header."""
    return uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        lifespan="on",
        interface="asgi3",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        backlog=BACKLOG,
        timeout_keep_alive=IDLE_S,
        timeout_graceful_shutdown=projects.STOPPING_S,
    )


def _host_in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


class _Process(uvicorn.Server):
    """uvicorn in a process of its own, which ends even while a thread hangs in its store.

    When it has stopped, Python still waits for every thread that runs, without a limit.
    """

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await super().shutdown(sockets)
        hard_end = threading.Timer(projects.CLOSING_S, os._exit, (0,))
        hard_end.daemon = True
        hard_end.start()


class Connection(H11Protocol):
    """One client. uvicorn waits for ever for the rest of a request's headers, and for a reader; this does not."""

    def __init__(self, *words: Any, **options: Any) -> None:
        super().__init__(*words, **options)
        self._deadline: asyncio.TimerHandle | None = None
        self._reader_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        self._expect()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._relax()
        else:
            self._expect()

    def on_response_complete(self) -> None:
        self._relax()
        super().on_response_complete()
        if self.conn.trailing_data[0]:  # the beginning of a next request came with the last
            self._expect()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch_reader()

    def resume_writing(self) -> None:
        self._leave_reader()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        self._relax()
        self._leave_reader()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """Finish what is under way; a stream of events is told that this is the end."""
        self._holdfast_app.stopping.set()
        super().shutdown()

    def _expect(self) -> None:
        """Give the client so long for the headers that it has begun."""
        if self._deadline is None and not self.transport.is_closing():
            self._deadline = self.loop.call_later(self._holdfast_app.limits.patience_s, self._too_slow)

    def _relax(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _watch_reader(self) -> None:
        """Give the client so long to take something of what waits for it."""
        buffer_size = self.transport.get_write_buffer_size()
        self._reader_timer = self.loop.call_later(
            self._holdfast_app.limits.patience_s, self._still_reading, buffer_size
        )

    def _still_reading(self, before: int) -> None:
        if self.transport.get_write_buffer_size() < before:
            self._watch_reader()
        else:
            self._reader_timer = None
            self.transport.abort()

    def _leave_reader(self) -> None:
        if self._reader_timer is not None:
            self._reader_timer.cancel()
            self._reader_timer = None

    def _too_slow(self) -> None:
        self._deadline = None
        self.transport.abort()

    @property
    def _holdfast_app(self) -> App:
        assert isinstance(self.app, App)  # noqa: S101 - it was made by `serve`
        return self.app


HOST = "127.0.0.1"


def view(directory: Path, port: int, config: ServerConfig, announce: Callable[[str], None]) -> None:
    """Show a project's memory until a signal ends it; `announce` hears the address that lets one person in."""
    with staged(directory, HOST, port, config, local=True) as server:
        now = time.time_ns() // 1_000_000
        code = server.app.entry.make_code(own_token(directory, now), now)
        announce(f"{server.address}/#code={code}")
        server.run()


def own_token(directory: Path, now: int) -> Token:
    """Return what who sits at this machine may do: everything, in their own name. It is kept nowhere."""
    name = person(find_workspace(directory))
    return Token(id=VIEWER, name=name, tenant=own_tenant(directory), scope=ADMIN, created_at=now, digest="")
