"""Starting and stopping: the address is taken first, then workers serve it until they are told to stop."""

import contextlib
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
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
    served_at(directory).close()  # a store that cannot be opened is said here, once
    listening = listen(config.host, config.port)
    with _told_to_end(), listening, tempfile.TemporaryDirectory(prefix="holdfast-") as shared_folder:
        port = listening.getsockname()[1]
        names = Names.of(config.host, port, config.hosts, config.origins)
        stage = Stage(
            directory=directory.resolve(), names=names, limits=_limits(config), shared=Path(shared_folder)
        )
        announce(f"http://{_host_in_url(config.host)}:{port}")
        _run(stage, listening, config.workers)


@contextlib.contextmanager
def _told_to_end() -> Iterator[None]:
    """Let SIGTERM end this process by its own hand: uvicorn sends it on once it is done, and whoever dies of it
    leaves its temporary files behind."""
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


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
    request_log.configure()
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
    request_log.configure()
    return App(stage)


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
