"""Starting and stopping: the address is taken first, then workers serve it until they are told to stop."""

import contextlib
import logging
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import uvicorn

from holdfast.compose.tenancy import served_at
from holdfast.errors import InvalidInput, PortTaken
from holdfast.interfaces.http import request_log
from holdfast.interfaces.http.access import Names
from holdfast.interfaces.http.app import App
from holdfast.interfaces.http.connection import Connection
from holdfast.interfaces.http.options import RequestLimits, Stage
from holdfast.interfaces.http.workers import run_workers
from holdfast.settings.sections import ServerConfig

BACKLOG = 1_024


def serve(directory: Path, config: ServerConfig, announce: Callable[[str], None]) -> None:
    """Serve a project's memory until a signal ends it; `announce` hears the address once it is ours."""
    with staged(directory, config.host, config.port, config) as server:
        announce(server.address)
        server.run(config.workers)


@dataclass(frozen=True, slots=True)
class StagedServer:
    """A server whose address is ours, and that serves nobody yet."""

    stage: Stage
    listening: socket.socket
    address: str

    def run(self, workers: int) -> None:
        """Serve until a signal ends it."""
        _run(self.stage, self.listening, workers)


@contextlib.contextmanager
def staged(
    directory: Path, host: str, port: int, config: ServerConfig, *, local: bool = False
) -> Iterator[StagedServer]:
    """Take an address, and make everything that the workers of a server share."""
    served_at(directory).close()  # a store that cannot be opened is said here, once
    listening = listen(host, port)
    with _told_to_end(), listening, tempfile.TemporaryDirectory(prefix="holdfast-") as shared_folder:
        own_port = listening.getsockname()[1]
        stage = Stage(
            directory=directory.resolve(),
            names=Names.of(host, own_port, () if local else config.hosts, () if local else config.origins),
            limits=_limits(config),
            shared=Path(shared_folder),
            local=local,
        )
        yield StagedServer(stage, listening, f"http://{_host_in_url(host)}:{own_port}")


@contextlib.contextmanager
def _told_to_end() -> Iterator[None]:
    """Let a signal end this process by its own hand: uvicorn sends it on once it is done, and whoever dies of it
    leaves its temporary files behind. A terminal that is closed ends it as well."""
    signals = [signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]
    handlers_before = {number: signal.signal(number, lambda *_: sys.exit(0)) for number in signals}
    try:
        yield
    finally:
        for number, handler in handlers_before.items():
            signal.signal(number, handler)


def listen(host: str, port: int) -> socket.socket:
    """Take an address for ourselves. It is never shared: what listens there already may be anybody's."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except socket.gaierror as error:
        raise InvalidInput(field="host", problem=f"cannot be found: {error.strerror}.") from error
    listening = socket.socket(family, kind, protocol)
    if os.name == "posix":  # an address that was ours a moment ago can be ours again; elsewhere it means sharing
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(address)
        listening.listen(BACKLOG)
    except OSError as error:
        listening.close()
        raise PortTaken(address=f"{_host_in_url(host)}:{port}", problem=error.strerror or str(error)) from error
    return listening


def _run(stage: Stage, listening: socket.socket, workers: int) -> None:
    _configure_log(stage)
    if workers > 1:
        stage = replace(stage, parent=os.getpid())
    config = uvicorn_config(stage, partial(_application, stage), workers)
    if workers > 1:
        run_workers(config, listening)
    else:
        uvicorn.Server(config).run([listening])


def uvicorn_config(stage: Stage, make: Callable[[], App], workers: int = 1) -> uvicorn.Config:
    """Return how uvicorn is to run: our connection, our log, and nothing that trusts a header."""
    return uvicorn.Config(
        make,
        factory=True,
        http=Connection,
        ws="none",
        lifespan="on",
        interface="asgi3",
        workers=workers,
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        backlog=BACKLOG,
        timeout_keep_alive=round(stage.limits.idle_s),
        timeout_graceful_shutdown=stage.limits.stopping_s,
        timeout_worker_healthcheck=30,
    )


def _application(stage: Stage) -> App:
    """Make the application of a worker, in its process."""
    _configure_log(stage)
    return App(stage)


def _configure_log(stage: Stage) -> None:
    """Log every request, but not at a person's own terminal: there is what they asked for."""
    request_log.configure(logging.WARNING if stage.local else logging.INFO)


def _limits(config: ServerConfig) -> RequestLimits:
    return RequestLimits(
        body_bytes=config.body_bytes,
        rate=config.rate,
        concurrency=config.concurrency,
        threads=config.threads,
        request_s=config.request_s,
        patience_s=config.patience_s,
    )


def _host_in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host
