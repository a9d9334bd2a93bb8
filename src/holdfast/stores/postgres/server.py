"""A server: where it is, the roles that a login acts as there, its connections, and a replica that follows it."""

import contextlib
import logging
import os
import threading
import time
from collections.abc import Generator, Iterator
from typing import Any, TypeVar

import psycopg
from pgvector.psycopg import register_vector
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.types.string import TextLoader
from psycopg_pool import ConnectionPool

from holdfast import errors
from holdfast.stores.postgres.errors import Silent, translate_errors

Row = tuple[Any, ...]
T = TypeVar("T")

OWNER = "holdfast_owner"
"""Has the tables, and changes the schema."""

APP = "holdfast_app"
"""Reads and writes the rows of one tenant at a time."""

GC = "holdfast_gc"
"""Looks after the stores of all tenants, one at a time."""

CONNECT_S = 5
"""Seconds to wait for a connection, where the address says nothing else."""

_UNLESS_SAID: dict[str, str | int] = {
    "fallback_application_name": "holdfast",
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}
"""A server whose network is gone is noticed within a minute."""


class Address:
    """Where a server is, as it may be shown: without its password."""

    def __init__(self, dsn: str) -> None:
        self.dsn = dsn
        try:
            parts = conninfo_to_dict(dsn)
        except psycopg.ProgrammingError:
            # what the driver says repeats the address with its password
            problem = "is no address of a database; write postgresql://USER@HOST:PORT/NAME."
            raise errors.InvalidInput(field="target", problem=problem) from None
        host, port, name = parts.get("host", "localhost"), parts.get("port", 5432), parts.get("dbname", "")
        self.shown = f"postgresql://{host}:{port}/{name}"
        timeout = parts.get("connect_timeout") or os.environ.get("PGCONNECT_TIMEOUT")
        self.connect_s = int(timeout or CONNECT_S)
        """Seconds to wait for a connection."""
        unsaid = _UNLESS_SAID | {"connect_timeout": self.connect_s}
        self._unsaid = {key: value for key, value in unsaid.items() if key not in parts}

    def conninfo(self) -> str:
        """Return what to connect with."""
        return make_conninfo(self.dsn, **self._unsaid)


POOL_SIZE = 10

# It warns of every try to connect; whoever waits is told by an error. Who wants to see it adds a handler.
logging.getLogger("psycopg.pool").addHandler(logging.NullHandler())

LONGEST_S = 30
"""Seconds that one statement may take, unless whoever runs the server said something else: one that is stuck holds
the thread that asked for so long. Upkeep works in slices far below that."""

_EXTENSION = (
    "SELECT quote_ident(n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace "
    "WHERE e.extname = 'vector'"
)
_HABITS = (
    "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus'), current_setting('statement_timeout') = '0'"
)
TELL_WORKERS = "SET LOCAL citus.propagate_set_commands = 'local'"
"""What is set after it, the workers of a cluster hear of: the text of its message, so that each has its own."""


class Connection(psycopg.Connection["Row"]):
    """A connection that is closed when the server says nothing for too long: one that hangs cuts nothing off."""

    patience_s: float = CONNECT_S
    """Seconds in which an answer, or a part of one, must come."""
    told_ms: int = 0
    """How long a statement of this transaction may take, as the server was told; 0: as long as any."""

    def set_limit(self, milliseconds: int) -> None:
        """Let the server cut off what takes longer, until the transaction ends."""
        self.execute(f"SET LOCAL statement_timeout = {milliseconds}")
        self.told_ms = milliseconds

    def lift_limit(self) -> None:
        """Let statements take as long as any."""
        self.execute(f"SET LOCAL statement_timeout {self.longest}")
        self.told_ms = 0

    longest: str = "TO DEFAULT"
    """How the server is told how long any statement may take."""

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


@contextlib.contextmanager
def acting(connection: Connection, role: str, tenant: str = "") -> Iterator[None]:
    """Hold a transaction as a role and, where one is named, for a tenant, of which a cluster's workers hear."""
    with connection.transaction():
        connection.execute(sql.SQL("SET LOCAL ROLE {}").format(sql.Identifier(role)))
        if tenant:
            connection.execute(TELL_WORKERS)
            connection.execute(sql.SQL("SET LOCAL holdfast.tenant = {}").format(sql.Literal(tenant)))
        yield


def extension_schema(connection: "psycopg.Connection[Row]") -> str:
    """Return the schema that has the types of vectors, quoted; without the extension, the usual one."""
    row = connection.execute(_EXTENSION).fetchone()
    return str(row[0]) if row else "public"


def second_answer(cursor: psycopg.Cursor[Row]) -> str | None:
    """Return the answer to the second statement of a message, if it has one."""
    cursor.nextset()
    row = cursor.fetchone() if cursor.description else None
    return row[0] if row else None


class Pool:
    """The connections to one server that are shared by threads."""

    def __init__(self, address: Address, size: int = POOL_SIZE) -> None:
        self.address = address
        self.extension = "public"
        """The schema that has the types of vectors."""
        self.is_cluster = False
        """Whether tenants are spread over workers."""
        self._longest = "TO DEFAULT"
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

    def opening(self, begin: str, role: str, tenant: str, limit_ms: int = 0) -> list[str]:
        """Return what a transaction begins with, as messages: who asks, for whom, and for how long at most."""
        timeout = f"= {limit_ms}" if limit_ms else self._longest
        literal = tenant.replace("'", "''")
        tenancy = f"SET LOCAL holdfast.tenant = '{literal}'"
        first = (
            f"{begin}; SET LOCAL ROLE {role}; SET LOCAL search_path TO holdfast, {self.extension}, pg_temp; "
            f"SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL statement_timeout {timeout}"
        )
        return [first, TELL_WORKERS, tenancy] if self.is_cluster else [f"{first}; {tenancy}"]

    def close(self) -> None:
        self._pool.close(timeout=1)

    def _configure(self, connection: Connection) -> None:
        with connection.transaction():
            self.extension = extension_schema(connection)
            [(self.is_cluster, is_endless)] = connection.execute(_HABITS).fetchall()
            self._longest = connection.longest = f"= '{LONGEST_S}s'" if is_endless else "TO DEFAULT"
            connection.execute(f"SET LOCAL search_path TO {self.extension}")
            register_vector(connection)
        connection.adapters.register_loader("uuid", TextLoader)


REPLICA_S = 1
"""Seconds to wait for it: fewer than for the first server, which answers the same."""

REST_S = 30.0
"""How long one that does not answer is left alone."""


class Replica:
    """The connections to a server that follows another, which is asked only what it has heard of already.

    What this process wrote it must also read, and what was written before it began. So it remembers how far the
    log of the first server was when it began and after its last write, and a read stays at the replica when that
    has replayed so much.
    """

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self._lock = threading.Lock()
        self._written_position = 0
        self._resting_until = 0.0

    def wrote(self, position: str) -> None:
        """Note how far the log of the first server was after a write."""
        with self._lock:
            self._written_position = max(self._written_position, _number(position))

    def has(self, position: str | None) -> bool:
        """Say whether one that has replayed so much has everything that was written here."""
        return position is not None and _number(position) >= self._written_position

    @property
    def resting(self) -> bool:
        """Whether it is left alone, as it did not answer."""
        return time.monotonic() < self._resting_until

    def lost(self) -> None:
        """Note that it did not answer."""
        self._resting_until = time.monotonic() + REST_S


def _number(position: str) -> int:
    high, low = position.split("/")
    return int(high, 16) << 32 | int(low, 16)
