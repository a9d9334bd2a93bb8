"""Connections to a server: a pool, transactions of one tenant, waiting, and errors put into our words.

What must not be here: SQL of the schema, and anything about memories.

Every transaction begins in one message that says who asks: the role without power over the schema, and the tenant.
It is said with SET LOCAL, which ends with the transaction, because the connection may be another's the next moment
(a pooler in between hands it on), and because Citus passes it on to its workers.
"""

import contextlib
import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import psycopg
from pgvector.psycopg import register_vector
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.types.string import TextLoader
from psycopg_pool import ConnectionPool, PoolTimeout

from holdfast import errors
from holdfast.stores.postgres.queries import load
from holdfast.stores.postgres.replica import Replica

if TYPE_CHECKING:
    Row = tuple[Any, ...]
    Params = Mapping[str, object]
    Connection = psycopg.Connection[Row]

APP, GC = "holdfast_app", "holdfast_gc"
POOL_SIZE = 10
CONNECT_S = 5
REPLICA_S = 1
"""Seconds to wait for a connection: for a replica fewer, as the first server answers the same."""
_PATIENCE = 5
_SETTINGS = (
    "SET LOCAL search_path TO holdfast, public; SET LOCAL plan_cache_mode = force_custom_plan; "
    "SET LOCAL hnsw.iterative_scan = strict_order; SET LOCAL hnsw.ef_search = 100; "
    "SET LOCAL citus.propagate_set_commands = 'local'"
)


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

    def conninfo(self) -> str:
        """Return what to connect with."""
        return make_conninfo(self.dsn, connect_timeout=CONNECT_S, application_name="holdfast")


def open_pool(address: Address, size: int = POOL_SIZE) -> "ConnectionPool[Connection]":
    """Return a pool of connections, the first of which works; the schema and its extension must be there."""
    pool: ConnectionPool[Connection] = ConnectionPool(
        address.conninfo(),
        min_size=1,
        max_size=size,
        timeout=CONNECT_S,
        open=False,
        kwargs={"autocommit": True, "prepare_threshold": None},
        configure=_configure,
        reconnect_timeout=CONNECT_S,
    )
    with translated(address.shown, CONNECT_S * 1000):
        pool.open(wait=True, timeout=CONNECT_S)
    return pool


def _configure(connection: "Connection") -> None:
    register_vector(connection)
    connection.adapters.register_loader("uuid", TextLoader)


@dataclass(slots=True)
class Limit:
    """How long the reads of a transaction may take together."""

    milliseconds: int
    end: float
    """On the clock of `time.monotonic`."""
    told: float = math.inf
    """What the server was told last: milliseconds for one statement."""

    def left(self) -> float:
        """Return the milliseconds that are left."""
        return (self.end - time.monotonic()) * 1000


class Database:
    """The transactions of one tenant's store; each thread has its own."""

    def __init__(
        self,
        pool: "ConnectionPool[Connection]",
        address: Address,
        tenant: str,
        *,
        patience_ms: int = 5_000,
        role: str = APP,
        shared: bool = False,
    ) -> None:
        self.address = address
        self.tenant = tenant
        self.place = 0
        self._pool = pool
        self._shared = shared
        self._replica: Replica | None = None
        self._patience_ms = patience_ms
        self._role = role
        self._queries = load()
        self._mine = threading.local()

    def all(self, name: str, params: "Params | None" = None, dimensions: int = 0) -> "list[Row]":
        """Run a named query and return its rows; one that compares vectors is told how long they are.

        What a transaction reads in order to change it is held against other writers until it ends.
        """
        query = self._queries[name].replace("/*dimensions*/", str(dimensions))
        query = query.replace("/*hold*/", "FOR NO KEY UPDATE" if self.in_writing else "")
        with self._connected() as connection, self._translated():
            cursor = connection.execute(query, self.with_place(params))
            return cursor.fetchall() if cursor.description else []

    def many(self, name: str, rows: "Iterable[Params]") -> None:
        """Run a named query once for each row of parameters, without waiting for each answer."""
        with self._connected() as connection, self._translated(), connection.cursor() as cursor:
            cursor.executemany(self._queries[name], [self.with_place(row) for row in rows])

    def one(self, name: str, params: "Params | None" = None) -> "Row | None":
        """Run a named query and return its first row."""
        rows = self.all(name, params)
        return rows[0] if rows else None

    @contextlib.contextmanager
    def raw(self) -> "Iterator[Connection]":
        """Give the connection of the transaction under way, for what is no named query."""
        with self._connected() as connection, self._translated():
            yield connection

    @contextlib.contextmanager
    def writing(self, patience_ms: int | None = None) -> Iterator[None]:
        """Hold one transaction. One inside another is a part of it that can fail alone."""
        if self.in_writing:
            with self._part():
                yield
            return
        patience = self._patience_ms if patience_ms is None else min(patience_ms, self._patience_ms)
        afterwards: list[Callable[[], None]] = []
        with self._transaction(self._pool, f"BEGIN; SET LOCAL lock_timeout = {max(1, patience)}", writable=True):
            self._mine.afterwards, self._mine.seen = afterwards, {}
            yield
        for step in afterwards:
            step()

    @contextlib.contextmanager
    def reading(self, limit_ms: int | None = None) -> Iterator[None]:
        """Hold one snapshot over several reads; inside a transaction, that one's. Past the limit reads are cut."""
        if limit_ms is not None:
            with self._limited(limit_ms), self.reading():
                yield
            return
        if self._depth:
            yield
            return
        with self._transaction(self._for_reading(), "BEGIN ISOLATION LEVEL REPEATABLE READ", writable=False):
            yield

    @contextlib.contextmanager
    def _limited(self, limit_ms: int) -> Iterator[None]:
        """Let the server cut off what this thread reads once the time is up."""
        outer = self._limit
        self._mine.limit = Limit(limit_ms, time.monotonic() + limit_ms / 1000)
        try:
            yield
        finally:
            self._mine.limit = outer
            if outer:
                outer.told = math.inf
            if self._depth:
                with contextlib.suppress(psycopg.Error):
                    self._mine.connection.execute("SET LOCAL statement_timeout = 0")

    def _keep_to_limit(self) -> None:
        """Refuse to begin what has no time left; tell the server how much there is, again when half is gone."""
        limit = self._limit
        if limit is None:
            return
        left = limit.left()
        if left <= 0:
            raise errors.StoreSlow(path=self.address.shown, milliseconds=limit.milliseconds)
        if left < limit.told / 2:
            with self._translated():
                self._mine.connection.execute(f"SET LOCAL statement_timeout = {math.ceil(left)}")
            limit.told = left

    def after_commit(self, step: Callable[[], None]) -> None:
        """Do something once the transaction under way is kept; when it is not, neither is this done."""
        self._mine.afterwards.append(step)

    @property
    def in_writing(self) -> bool:
        """Whether what this thread reads now, it may go on to change."""
        return bool(self._depth and self._mine.writable)

    def saw(self, versions: "Iterable[tuple[str, int]]") -> None:
        """Remember which version of rows was read, if they may be changed by this transaction."""
        if self.in_writing:
            self._mine.seen |= dict(versions)

    def changed(self, ids: Iterable[str]) -> None:
        """What this transaction changed itself may have any version."""
        for row_id in ids:
            self._mine.seen.pop(row_id, None)

    def check_unchanged(self, row_id: str, version: int) -> None:
        """Refuse to write over what another writer changed since this transaction read it."""
        if self._mine.seen.get(row_id, version) != version:
            self.raced(f"{row_id} was changed meanwhile")

    def raced(self, problem: str) -> NoReturn:
        """Say that another writer was first."""
        raise errors.StoreRaced(path=self.address.shown, problem=problem)

    def alone(self, chore: str) -> bool:
        """Say whether nobody else does this chore now; until the transaction ends nobody will."""
        row = self.one("only_one", {"chore": chore})
        return bool(row and row[0])

    def backend(self) -> int:
        """Return the process on the server that serves the transaction under way."""
        pid: int = self._mine.connection.info.backend_pid
        return pid

    def port(self) -> int:
        """Return the port of the server that serves the transaction under way."""
        number: int = self._mine.connection.info.port
        return number

    def arrivals(self, count: int) -> list[int]:
        """Return numbers for new rows, in the order of arrival."""
        return [number for (number,) in self.all("arrivals", {"count": count})] if count else []

    def close(self) -> None:
        if not self._shared:
            self._pool.close(timeout=1)
        if self._replica:
            self._replica.close()

    @property
    def _limit(self) -> Limit | None:
        return getattr(self._mine, "limit", None)

    @property
    def _depth(self) -> int:
        return getattr(self._mine, "depth", 0)

    def with_place(self, params: "Params | None") -> dict[str, object]:
        """Say of a row, or of what is asked, whose it is."""
        return {"tenant": self.tenant, "place": self.place, **(params or {})}

    @contextlib.contextmanager
    def _connected(self) -> "Iterator[Connection]":
        """Give the connection of the transaction under way, or one for a single statement."""
        if self._depth:
            self._keep_to_limit()
            yield self._mine.connection
            return
        with self._transaction(self._for_reading(), "BEGIN", writable=False):
            yield self._mine.connection

    @contextlib.contextmanager
    def _transaction(self, pool: "ConnectionPool[Connection]", begin: str, *, writable: bool) -> Iterator[None]:
        outer = vars(self._mine).copy()
        pool, connection = self._connection(pool, begin)
        self._mine.connection, self._mine.depth, self._mine.writable = connection, 1, writable
        try:
            yield
            with self._translated():
                self._commit(connection, writable=writable)
        except BaseException:
            with contextlib.suppress(psycopg.Error):
                connection.execute("ROLLBACK")
            raise
        finally:
            vars(self._mine).clear()
            vars(self._mine).update(outer)
            pool.putconn(connection)

    @contextlib.contextmanager
    def _part(self) -> Iterator[None]:
        connection: Connection = self._mine.connection
        name = f"part{self._mine.depth}"
        with self._translated():
            connection.execute(f"SAVEPOINT {name}")
        self._mine.depth += 1
        kept = len(self._mine.afterwards)
        try:
            yield
            with self._translated():
                connection.execute(f"RELEASE {name}")
        except BaseException:
            del self._mine.afterwards[kept:]
            with contextlib.suppress(psycopg.Error):
                connection.execute(f"ROLLBACK TO {name}; RELEASE {name}")
            raise
        finally:
            self._mine.depth -= 1

    def _commit(self, connection: "Connection", *, writable: bool) -> None:
        """End a transaction; the replica is told how far the log is then, with the end of this one in it."""
        if not writable or self._replica is None:
            connection.execute("COMMIT")
            return
        cursor = connection.execute("COMMIT; SELECT pg_current_wal_insert_lsn()::text")
        cursor.nextset()
        row = cursor.fetchone()
        self._replica.wrote(row[0] if row else "0/0")

    def _connection(
        self, pool: "ConnectionPool[Connection]", begin: str
    ) -> "tuple[ConnectionPool[Connection], Connection]":
        """Begin on a connection of a pool; where the replica does not answer, on one of the first server."""
        try:
            return pool, self._begun(pool, begin)
        except errors.StoreUnreachable:
            if self._replica is None or pool is not self._replica.pool:
                raise
            self._replica.lost()
            return self._pool, self._begun(self._pool, begin)

    def _begun(self, pool: "ConnectionPool[Connection]", begin: str) -> "Connection":
        """Begin on a connection that works: what a restarted server left behind is thrown away."""
        tenant = self.tenant.replace("'", "''")
        message = f"{begin}; SET LOCAL ROLE {self._role}; SET LOCAL holdfast.tenant = '{tenant}'; {_SETTINGS}"
        until = time.monotonic() + CONNECT_S
        while True:
            with self._translated():
                connection = pool.getconn(self._patience_s(pool))
            try:
                connection.execute(message)
            except psycopg.OperationalError as error:
                stale = connection.closed
                pool.putconn(connection)
                if not stale or time.monotonic() > until:
                    raise _ours(error, self.address.shown, self._patience_ms) from error
            except psycopg.Error as error:
                with contextlib.suppress(psycopg.Error):
                    connection.execute("ROLLBACK")
                pool.putconn(connection)
                raise _ours(error, self.address.shown, self._patience_ms) from error
            else:
                return connection

    def _for_reading(self) -> "ConnectionPool[Connection]":
        """Choose the replica if it has caught up with what was written here."""
        return self._replica.pool if self._replica and self._replica.ready() else self._pool

    def read_from(self, replica: Replica) -> None:
        """Read from a replica from now on, where it has what was written."""
        self._replica = replica

    def _patience_s(self, pool: "ConnectionPool[Connection]") -> float:
        """How long to wait for a connection: with a limit a few times that, as others may use them all."""
        limit = self._limit
        most = CONNECT_S if pool is self._pool else REPLICA_S
        return most if limit is None else min(most, max(0.05, _PATIENCE * limit.left() / 1000))

    def _translated(self) -> contextlib.AbstractContextManager[None]:
        limit = self._limit
        return translated(self.address.shown, self._patience_ms, limit.milliseconds if limit else None)


@contextlib.contextmanager
def translated(place: str, patience_ms: int, limit_ms: int | None = None) -> Iterator[None]:
    """Turn what the driver raises into errors that say what to do."""
    try:
        yield
    except (psycopg.errors.QueryCanceled, PoolTimeout) as error:
        if limit_ms is None:
            raise _ours(error, place, patience_ms) from error
        raise errors.StoreSlow(path=place, milliseconds=limit_ms) from error
    except psycopg.Error as error:
        raise _ours(error, place, patience_ms) from error


def _ours(error: Exception, place: str, patience_ms: int) -> errors.StoreError:
    problem = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    match error:
        case psycopg.errors.LockNotAvailable() | psycopg.errors.QueryCanceled():
            return errors.StoreBusy(path=place, seconds=round(patience_ms / 1000, 1))
        case (
            psycopg.errors.UniqueViolation()
            | psycopg.errors.DeadlockDetected()
            | psycopg.errors.SerializationFailure()
        ):
            return errors.StoreRaced(path=place, problem=problem)
        case psycopg.errors.InsufficientPrivilege():
            return errors.StoreUnwritable(path=place, problem=problem)
        case psycopg.errors.UndefinedTable() | psycopg.errors.InvalidSchemaName():
            return errors.NotAStore(path=place, problem="it has no tables of holdfast")
        case psycopg.errors.DiskFull() | psycopg.errors.ReadOnlySqlTransaction():
            return errors.StoreUnwritable(path=place, problem=problem)
        case psycopg.OperationalError() | PoolTimeout():
            return errors.StoreUnreachable(path=place, problem=problem)
        case _:
            return errors.StoreError(path=place, problem=f"{type(error).__name__}: {problem}")
