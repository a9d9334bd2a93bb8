"""Transactions of one tenant's store: how they begin and end, and what is asked in them.

What must not be here: SQL of the schema, and anything about memories.

Every transaction begins in one message that says who asks: the role without power over the schema, and the tenant.
It is said with SET LOCAL, which ends with the transaction, because the connection may be another's the next moment
(a pooler in between hands it on), and because Citus passes it on to its workers.
"""

import contextlib
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NoReturn

import psycopg

from holdfast import errors
from holdfast.stores.postgres.connections import Connections, Transaction
from holdfast.stores.postgres.errors import Limit, limit_of, problem_of, translate_errors
from holdfast.stores.postgres.queries import load
from holdfast.stores.postgres.replica import REPLICA_S, Replica
from holdfast.stores.postgres.roles import APP

if TYPE_CHECKING:
    from holdfast.stores.postgres.pool import Connection, Pool
    from holdfast.stores.postgres.pool import Row as Row

    Params = Mapping[str, object]

LONGEST_S = 30
"""Seconds that one statement may take, unless whoever runs the server said something else: one that is stuck holds
the thread that asked for so long. Upkeep works in slices far below that."""

_GRACE_S = 0.2
"""How much later than the server this side gives up: what the server cuts off leaves a connection that works."""

_BEGIN_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_POSITION = "BEGIN; SELECT pg_last_wal_replay_lsn()::text; COMMIT"
"""In a transaction of its own: the view of the next one is younger than what it says."""

_LONGEST = (
    "SET LOCAL statement_timeout TO DEFAULT; SELECT set_config('statement_timeout', "
    f"coalesce(nullif(current_setting('statement_timeout'), '0'), '{LONGEST_S}s'), true)"
)
_SETTINGS = (
    "SET LOCAL plan_cache_mode = force_custom_plan; "
    "SET LOCAL hnsw.iterative_scan = strict_order; SET LOCAL hnsw.ef_search = 256; "
    f"SET LOCAL citus.propagate_set_commands = 'local'; {_LONGEST}"
)


class Database:
    """The transactions of one tenant's store; each thread has its own."""

    def __init__(
        self,
        connections: Connections,
        tenant: str,
        *,
        patience_ms: int = 5_000,
        role: str = APP,
        shared: bool = False,
    ) -> None:
        self.address = connections.first.address
        self.tenant = tenant
        self.place = 0
        self.connections = connections
        self._is_shared = shared
        self._patience_ms = patience_ms
        self._role = role
        self._queries = load()

    def all(self, name: str, params: "Params | None" = None, dimensions: int = 0) -> "list[Row]":
        """Run a named query and return its rows; one that compares vectors is told how long they are.

        What a transaction reads in order to change it is held against other writers until it ends.
        """
        query = self._queries[name].replace("/*dimensions*/", str(dimensions))
        query = query.replace("/*hold*/", "FOR NO KEY UPDATE" if self.in_writing else "")
        with self._under_way() as transaction, self._translate_errors():
            return self._answer(transaction, query, self.with_place(params))

    def many(self, name: str, rows: "Iterable[Params]") -> None:
        """Run a named query once for each row of parameters, without waiting for each answer."""
        with self.raw() as connection, connection.cursor() as cursor:
            cursor.executemany(self._queries[name], [self.with_place(row) for row in rows])

    def one(self, name: str, params: "Params | None" = None) -> "Row | None":
        """Run a named query and return its first row."""
        rows = self.all(name, params)
        return rows[0] if rows else None

    @contextlib.contextmanager
    def raw(self) -> "Iterator[Connection]":
        """Give the connection of the transaction under way, for what is no named query."""
        with self._under_way() as transaction, self._translate_errors():
            timeout = self._timeout(transaction.connection)
            if timeout:
                transaction.connection.execute(timeout)
            yield transaction.connection

    @contextlib.contextmanager
    def writing(self, patience_ms: int | None = None) -> Iterator[None]:
        """Hold one transaction. One inside another is a part of it that can fail alone."""
        if self._transaction and self._transaction.writable:
            with self._part(self._transaction):
                yield
            return
        patience = self._patience_ms if patience_ms is None else min(patience_ms, self._patience_ms)
        begin = f"BEGIN; SET LOCAL lock_timeout = {max(1, patience)}"
        with self._hold_transaction(begin, writable=True) as transaction:
            yield
        for step in transaction.afterwards:
            with contextlib.suppress(errors.StoreError):  # what was written stays; upkeep does such steps, too
                step()

    @contextlib.contextmanager
    def reading(self, limit_ms: int | None = None) -> Iterator[None]:
        """Hold one snapshot over several reads; inside a transaction, that one's. Past the limit reads are cut."""
        with self._time_limit(limit_ms), self._under_way():
            yield

    def after_commit(self, step: Callable[[], None]) -> None:
        """Do something once the transaction under way is kept; when it is not, neither is this done."""
        if self._transaction:
            self._transaction.afterwards.append(step)

    @property
    def in_writing(self) -> bool:
        """Whether what this thread reads now, it may go on to change."""
        return self._transaction is not None and self._transaction.writable

    def saw(self, versions: "Iterable[tuple[str, int]]") -> None:
        """Remember which version of rows was read, if they may be changed by this transaction."""
        if self._transaction and self._transaction.writable:
            self._transaction.seen |= dict(versions)

    def changed(self, ids: Iterable[str]) -> None:
        """What this transaction changed itself may have any version."""
        if self._transaction:
            for row_id in ids:
                self._transaction.seen.pop(row_id, None)

    def check_unchanged(self, row_id: str, version: int) -> None:
        """Refuse to write over what another writer changed since this transaction read it."""
        if self._transaction and self._transaction.seen.get(row_id, version) != version:
            self.raced(f"{row_id} was changed meanwhile")

    def raced(self, problem: str) -> NoReturn:
        """Say that another writer was first."""
        raise errors.StoreRaced(path=self.address.shown, problem=problem)

    def alone(self, chore: str) -> bool:
        """Say whether nobody else does this chore now; until the transaction ends nobody will."""
        row = self.one("only_one", {"chore": chore})
        return bool(row and row[0])

    def arrivals(self, count: int) -> list[int]:
        """Return numbers for new rows, in the order of arrival."""
        return [number for (number,) in self.all("arrivals", {"count": count})] if count else []

    def with_place(self, params: "Params | None") -> dict[str, object]:
        """Say of a row, or of what is asked, whose it is."""
        return {"tenant": self.tenant, "place": self.place, **(params or {})}

    def close(self) -> None:
        if not self._is_shared:
            self.connections.close()

    @property
    def _owner(self) -> tuple[str, str]:
        return self.tenant, self._role

    @property
    def _transaction(self) -> Transaction | None:
        return self.connections.own.transactions.get(self._owner)

    @property
    def _limit(self) -> Limit | None:
        return self.connections.own.limits.get(self._owner)

    @contextlib.contextmanager
    def _time_limit(self, limit_ms: int | None) -> Iterator[None]:
        """Let the server cut off what this thread reads once the time is up."""
        if limit_ms is None:
            yield
            return
        limits, outer = self.connections.own.limits, self._limit
        limits[self._owner] = limit_of(limit_ms).within(outer)
        try:
            yield
        finally:
            if outer:
                limits[self._owner] = outer
            else:
                del limits[self._owner]
            if self._transaction:
                with contextlib.suppress(psycopg.Error):
                    self._transaction.connection.execute(_LONGEST)

    def _timeout(self, connection: "Connection") -> str | None:
        """Refuse to ask what has no time left; return how to tell the server of a limit, and keep to it here."""
        limit = self._limit
        if limit is None:
            connection.patience_s = LONGEST_S + _GRACE_S
            return None
        remaining_ms = limit.left()
        if remaining_ms <= 0:
            raise errors.StoreSlow(path=self.address.shown, milliseconds=limit.milliseconds)
        connection.patience_s = remaining_ms / 1000 + _GRACE_S
        return f"SET LOCAL statement_timeout = {math.ceil(remaining_ms)}"

    def _answer(self, transaction: Transaction, query: str, params: "Params") -> "list[Row]":
        """Ask; what a replica breaks off, because it follows the first server, that one is asked."""
        try:
            return self._run_query(transaction.connection, query, params)
        except psycopg.OperationalError as error:
            if not transaction.on_replica or isinstance(error, psycopg.errors.QueryCanceled):
                raise
        self._leave_replica(transaction)
        return self._run_query(transaction.connection, query, params)

    def _run_query(self, connection: "Connection", query: str, params: "Params") -> "list[Row]":
        timeout = self._timeout(connection)
        with connection.pipeline() if timeout else contextlib.nullcontext():
            if timeout:
                connection.execute(timeout)
            cursor = connection.execute(query, params)
            return cursor.fetchall() if timeout or cursor.description else []

    @contextlib.contextmanager
    def _under_way(self) -> Iterator[Transaction]:
        """Give the transaction under way, or one to read in."""
        if self._transaction:
            yield self._transaction
            return
        with self._hold_transaction(_BEGIN_READ, writable=False) as transaction:
            yield transaction

    @contextlib.contextmanager
    def _hold_transaction(self, begin: str, *, writable: bool) -> Iterator[Transaction]:
        transactions, outer = self.connections.own.transactions, self._transaction
        with contextlib.ExitStack() as stack:
            transaction = self._begin(stack, begin, writable=writable)
            transactions[self._owner] = transaction
            try:
                yield transaction
                self._end(transaction)
            except BaseException:
                with contextlib.suppress(psycopg.Error):
                    transaction.connection.execute("ROLLBACK")
                raise
            finally:
                del transactions[self._owner]
                if outer:
                    transactions[self._owner] = outer

    @contextlib.contextmanager
    def _part(self, transaction: Transaction) -> Iterator[None]:
        connection, name = transaction.connection, f"part{transaction.depth}"
        with self._translate_errors():
            connection.execute(f"SAVEPOINT {name}")
        transaction.depth += 1
        callback_count, versions = len(transaction.afterwards), transaction.seen.copy()
        try:
            yield
            with self._translate_errors():
                connection.execute(f"RELEASE {name}")
        except BaseException:
            del transaction.afterwards[callback_count:]
            transaction.seen = versions
            with contextlib.suppress(psycopg.Error):
                connection.execute(f"ROLLBACK TO {name}; RELEASE {name}")
            raise
        finally:
            transaction.depth -= 1

    def _end(self, transaction: Transaction) -> None:
        """End a transaction; what was only read does not depend on how that goes."""
        if transaction.writable:
            with self._translate_errors():
                self._commit(transaction.connection)
        else:
            with contextlib.suppress(psycopg.Error):
                transaction.connection.execute("COMMIT")

    def _commit(self, connection: "Connection") -> None:
        """Keep what was written; the replica is told how far the log is then, with the end of this one in it."""
        replica = self.connections.replica
        try:
            cursor = connection.execute(
                "COMMIT; SELECT pg_current_wal_insert_lsn()::text" if replica else "COMMIT"
            )
        except psycopg.OperationalError as error:
            if connection.closed:
                raise errors.StoreInDoubt(path=self.address.shown, problem=problem_of(error)) from error
            raise
        if cursor.statusmessage != "COMMIT":
            problem = "a part of the change failed before, and the server kept nothing of it"
            raise errors.StoreError(path=self.address.shown, problem=problem)
        if replica:
            cursor.nextset()
            row = cursor.fetchone()
            replica.wrote(row[0] if row else "0/0")

    def _begin(self, stack: contextlib.ExitStack, begin: str, *, writable: bool) -> Transaction:
        """Begin where it may: reads at the replica, if it answers and has what was written here."""
        replica = self.connections.replica
        if replica and not writable and not replica.resting:
            connection = self._begin_on_replica(stack, replica)
            if connection:
                return Transaction(connection, stack, writable=False, on_replica=True)
        return Transaction(self._begin_on_first(stack, begin), stack, writable=writable)

    def _begin_on_first(self, stack: contextlib.ExitStack, begin: str) -> "Connection":
        return self._begin_on(stack, self.connections.first, begin, self.address.connect_s)[0]

    def _begin_on_replica(self, stack: contextlib.ExitStack, replica: Replica) -> "Connection | None":
        within = REPLICA_S / 2 if self._limit else REPLICA_S  # some of a limit is left for the first server
        try:
            with contextlib.ExitStack() as attempt:
                connection, position = self._begin_on(attempt, replica.pool, f"{_POSITION}; {_BEGIN_READ}", within)
                if replica.has(position):
                    stack.push(attempt.pop_all())
                    return connection
                connection.execute("ROLLBACK")
        except (errors.StoreError, psycopg.Error):
            replica.lost()
        return None

    def _leave_replica(self, transaction: Transaction) -> None:
        """Go on reading at the first server, which has everything that the replica has and maybe more."""
        if transaction.connection.closed and self.connections.replica:
            self.connections.replica.lost()
        transaction.lent.close()
        transaction.on_replica = False
        transaction.connection = self._begin_on_first(transaction.lent, _BEGIN_READ)

    def _begin_on(
        self, stack: contextlib.ExitStack, pool: "Pool", begin: str, within_s: float
    ) -> "tuple[Connection, str | None]":
        """Begin on a connection that works, and return what a replica says of itself.

        What a restarted server left behind is thrown away.
        """
        tenant = self.tenant.replace("'", "''")
        message = (
            f"{begin}; SET LOCAL ROLE {self._role}; SET LOCAL holdfast.tenant = '{tenant}'; "
            f"SET LOCAL search_path TO holdfast, {pool.extension}, pg_temp; {_SETTINGS}"
        )
        until = time.monotonic() + self._patience_s(within_s)
        while True:
            with self._translate_errors(), contextlib.ExitStack() as attempt:
                connection = attempt.enter_context(pool.lend(until - time.monotonic()))
                connection.patience_s = max(0.05, until - time.monotonic())
                try:
                    cursor = connection.execute(message)
                except psycopg.OperationalError:
                    if not connection.closed or time.monotonic() > until:
                        raise
                    continue
                stack.push(attempt.pop_all())
                return connection, _second(cursor)

    def _patience_s(self, most_s: float) -> float:
        """How long to wait for a connection on which to begin: no longer than a limit, but for the smallest."""
        return most_s if self._limit is None else min(most_s, max(0.05, self._limit.left() / 1000))

    def _translate_errors(self) -> contextlib.AbstractContextManager[None]:
        return translate_errors(self.address.shown, self._patience_ms, self._limit)


def _second(cursor: "psycopg.Cursor[Row]") -> str | None:
    """Return the answer to the second statement of a message, if it has one."""
    cursor.nextset()
    row = cursor.fetchone() if cursor.description else None
    return row[0] if row else None
