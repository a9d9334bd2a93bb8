"""Servers to test: in a thread of this process, and as the program that people start; both over real sockets."""

import contextlib
import os
import re
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO

import httpx2
import uvicorn

from holdfast.interfaces.http.access import Names
from holdfast.interfaces.http.app import App
from holdfast.interfaces.http.serve import listen, uvicorn_config
from holdfast.ports import Clock
from holdfast.settings.schema import ServerConfig
from holdfast.storage.tenancy import served_at, tokens
from tests.background import wait_until
from tests.clients.installed import PROGRAM
from tests.hooking import HUNG_S


def current_time() -> int:
    """Return the time that a server has now; read with its module, it would be that of the run's beginning."""
    return time.time_ns() // 1_000_000


def a_token(
    scope: str = "admin",
    name: str = "tester",
    tenant: str = "local",
    project: str | None = None,
    expires: int | None = None,
    age: int = 0,
) -> str:
    """Make a token, as somebody may have done a while ago; return what its holder shows."""
    now = current_time() - age
    return tokens().create(name=name, tenant=tenant, scope=scope, project=project, expires=expires, now=now)[1]


def parts(token: str) -> tuple[str, str]:
    """The part of a token that names it, and its secret, which may hold a `_` of its own."""
    mark, name, secret = token.split("_", 2)
    return f"{mark}_{name}", secret


class Asking:
    """A client of a server, with a token of every scope."""

    def __init__(self, url: str, app: App | None = None) -> None:
        self.url = url
        self.app = app
        """The application, where it runs in this process."""
        self.token = a_token()
        self.stop: Callable[[], None] = lambda: None
        """Tell a server in a thread of this process to stop, as a signal does."""
        self._client = httpx2.Client(base_url=url, timeout=HUNG_S, trust_env=False)

    def __call__(
        self,
        method: str,
        path: str,
        *,
        token: str | None = None,
        headers: dict[str, str] | None = None,
        **options: object,
    ) -> httpx2.Response:
        """Ask something; without a token of one's own, as somebody who may do everything."""
        shown = {"Authorization": f"Bearer {token or self.token}", **(headers or {})}
        return self._client.request(method, path, headers=shown, **options)  # type: ignore[arg-type]  # as it takes them

    def bare(self, method: str, path: str, **options: object) -> httpx2.Response:
        """Ask something without a token."""
        return self._client.request(method, path, **options)  # type: ignore[arg-type]  # as it takes them

    def close(self) -> None:
        """Let go of the connections."""
        self._client.close()

    @property
    def port(self) -> int:
        """The port of the server."""
        return int(self.url.rpartition(":")[2])


@contextlib.contextmanager
def served_here(
    directory: Path, limits: ServerConfig | None = None, clock: Clock | None = None
) -> Iterator[Asking]:
    """Serve a project in a thread."""
    listening = listen("127.0.0.1", 0)
    port = listening.getsockname()[1]
    names = Names.of("127.0.0.1", port)
    app = App(served_at(directory, clock), directory, names, limits or ServerConfig())
    server = uvicorn.Server(uvicorn_config(app))
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    asking = Asking(f"http://127.0.0.1:{port}", app)
    asking.stop = lambda: setattr(server, "should_exit", True)
    try:
        yield asking
    finally:
        asking.close()
        server.should_exit = True
        thread.join(HUNG_S)
        listening.close()
        assert not thread.is_alive()


class Program:
    """`holdfast serve` as a process of its own."""

    def __init__(
        self,
        directory: Path,
        *words: str,
        env: dict[str, str] | None = None,
        command: Sequence[str | Path] = (PROGRAM, "serve", "--port", "0"),
    ) -> None:
        self.process = subprocess.Popen(
            [*command, *words],
            cwd=directory,
            env={**os.environ, **(env or {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stderr
        self._lines: list[str] = []
        self._reader = threading.Thread(target=self._read, args=(self.process.stderr,), daemon=True)
        self._reader.start()
        self.asking = Asking(self._address())
        self.wait_until_healthy()

    def __enter__(self) -> "Program":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _read(self, stderr: IO[str]) -> None:
        for line in stderr:
            self._lines.append(line)

    def _address(self) -> str:
        def addresses() -> list[str]:
            assert self.process.poll() is None, self.log
            return [match[0] for line in self._lines if (match := re.search(r"http://[\d.:]+\d", line))]

        wait_until(addresses, "it says no address")
        return addresses()[0]

    def wait_until_healthy(self) -> None:
        """Wait until it answers."""

        def healthy() -> bool:
            with contextlib.suppress(httpx2.TransportError):
                return bool(self.asking.bare("GET", "/healthz").status_code == 200)
            return False

        wait_until(healthy, "it does not answer")

    @property
    def log(self) -> str:
        """What it said so far."""
        return "".join(self._lines)

    def stop(self) -> int:
        """Ask it to end; return its exit code."""
        self.asking.close()
        if self.process.poll() is None:
            self.process.terminate()
        code = self.process.wait(HUNG_S)
        self._reader.join(HUNG_S)
        for stream in (self.process.stdout, self.process.stderr):
            if stream:
                stream.close()
        return code


@contextlib.contextmanager
def program(directory: Path, *words: str, env: dict[str, str] | None = None) -> Iterator[Program]:
    """Run the program for a while."""
    with Program(directory, *words, env=env) as running:
        yield running
