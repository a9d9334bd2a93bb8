"""Connections to one server: so many and no more, none waited for without end."""

import contextlib
import logging
import threading
import time
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import psycopg
from pgvector.psycopg import register_vector
from psycopg.types.string import TextLoader
from psycopg_pool import ConnectionPool

from holdfast import errors
from holdfast.stores.postgres.address import CONNECT_S, Address
from holdfast.stores.postgres.errors import Silent, translate_errors

if TYPE_CHECKING:
    Row = tuple[Any, ...]
    T = TypeVar("T")

POOL_SIZE = 10

# It warns of every try to connect; whoever waits is told by an error. Who wants to see it adds a handler.
logging.getLogger("psycopg.pool").addHandler(logging.NullHandler())

_EXTENSION = (
    "SELECT quote_ident(n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace "
    "WHERE e.extname = 'vector'"
)


class Connection(psycopg.Connection["Row"]):
    """A connection that is closed when the server says nothing for too long: one that hangs cuts nothing off."""

    patience_s: float = CONNECT_S
    """Seconds in which an answer, or a part of one, must come."""

    def wait(self, gen: "Generator[Any, Any, T]", *args: Any, **options: Any) -> "T":
        return super().wait(self._until(time.monotonic() + self.patience_s, gen), *args, **options)

    def _until(self, end: float, gen: "Generator[Any, Any, T]") -> "Generator[Any, Any, T]":
        """Go on with what waits for the server, which is asked every tenth of a second, until it is too late."""
        ready = None
        while True:
            try:
                wait_kind = gen.send(ready)
            except StopIteration as stop:
                result: T = stop.value
                return result
            ready = yield wait_kind
            if not ready and time.monotonic() > end:
                self.pgconn.finish()
                raise Silent("it did not answer in time")


def connect(address: Address, patience_s: float | None = None) -> Connection:
    """Connect for a moment; each statement is a transaction of its own, and a pooler may be in between."""
    connection = Connection.connect(address.conninfo(), autocommit=True, prepare_threshold=None)
    if patience_s is not None:
        connection.patience_s = patience_s
    return connection


def extension_schema(connection: "psycopg.Connection[Row]") -> str:
    """Return the schema that has the types of vectors, quoted; without the extension, the usual one."""
    row = connection.execute(_EXTENSION).fetchone()
    return str(row[0]) if row else "public"


class Pool:
    """The connections to one server that are shared by threads."""

    def __init__(self, address: Address, size: int = POOL_SIZE) -> None:
        self.address = address
        self.extension = "public"
        """The schema that has the types of vectors."""
        self._size = size
        self._free = threading.BoundedSemaphore(size)
        self._pool: ConnectionPool[Connection] = ConnectionPool(
            address.conninfo(),
            connection_class=Connection,
            min_size=1,
            max_size=size,
            timeout=address.connect_s,
            open=False,
            kwargs={"autocommit": True, "prepare_threshold": None},
            configure=self._configure,
            reconnect_timeout=address.connect_s,
        )

    def open(self, *, wait: bool = True) -> None:
        """Make the first connection; unless it is waited for, it may as well fail."""
        with translate_errors(self.address.shown, self.address.connect_s * 1000):
            try:
                self._pool.open(wait=wait, timeout=self.address.connect_s)
            except BaseException:
                self.close()
                raise

    @contextlib.contextmanager
    def lend(self, within_s: float) -> Iterator[Connection]:
        """Give a connection away until it is no longer needed. One who waits in vain for others' is told so."""
        until = time.monotonic() + within_s
        if not self._free.acquire(timeout=max(0.0, within_s)):
            raise errors.StoreFull(path=self.address.shown, seconds=round(within_s, 1), size=self._size)
        try:
            connection = self._pool.getconn(max(0.05, until - time.monotonic()))
            try:
                yield connection
            finally:
                self._pool.putconn(connection)
        finally:
            self._free.release()

    def close(self) -> None:
        self._pool.close(timeout=1)

    def _configure(self, connection: Connection) -> None:
        with connection.transaction():
            self.extension = extension_schema(connection)
            connection.execute(f"SET LOCAL search_path TO {self.extension}")
            register_vector(connection)
        connection.adapters.register_loader("uuid", TextLoader)
