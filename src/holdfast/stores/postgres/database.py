"""Transactions of one tenant's store: how they begin and end, and what is asked in them.

What must not be here: SQL of the schema, and anything about memories.

Every transaction begins in one message that says who asks: the role without power over the schema, and the tenant.
It is said with SET LOCAL, which ends with the transaction, because the connection may be another's the next moment
(a pooler in between hands it on), and because Citus passes it on to its workers.
"""

import contextlib
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NoReturn

import psycopg
from psycopg.pq import TransactionStatus

from holdfast import errors
from holdfast.stores.postgres.connections import Connections, Transaction, load, several
from holdfast.stores.postgres.errors import Limit, limit_of, problem_of, translate_errors
from holdfast.stores.postgres.server import (
    APP,
    LONGEST_S,
    REPLICA_S,
    Connection,
    Pool,
    Replica,
    Row,
    second_answer,
)
from holdfast.stores.postgres.stats import Facts, facts_from

Params = Mapping[str, object]

MOST_ROWS = 500
"""Rows of values that one statement inserts: it may have 65,535 parameters."""

_GRACE_S = 0.2
"""How much later than the server this side gives up: what the server cuts off leaves a connection that works."""

_BEGIN_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_POSITION = "BEGIN; SELECT pg_last_wal_replay_lsn()::text; COMMIT"
"""In a transaction of its own: the view of the next one is younger than what it says."""

_BEGIN_WRITE = "BEGIN; SET LOCAL lock_timeout = {}"

_READS = ("SELECT", "WITH")
"""How queries begin that change nothing that is known of a store as a whole."""


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

    def all(self, name: str, params: Params | None = None, dimensions: int = 0) -> list[Row]:
        """Run a named query and return its rows; one that walks through a graph is told how long its vectors are.

        What a transaction reads in order to change it is held against other writers until it ends.
        """
        query = self.text(name, dimensions)
        query = query.replace("/*hold*/", "FOR NO KEY UPDATE" if self.in_writing else "")
        with self._under_way() as transaction, self._translate_errors():
            return self._answer(transaction, query, self.with_place(params))

    def text(self, name: str, dimensions: int = 0) -> str:
        """Return the SQL of a named query."""
        query = self._queries[name]
        if dimensions:
            query = query.replace("/*length*/", f"::halfvec({dimensions})")
            query = query.replace("/*of length*/", f"AND vector_dims(v.embedding) = {dimensions}")
        return query

    def many(self, name: str, rows: Iterable[Params]) -> None:
        """Run a named query once for each row of parameters, without waiting for each answer."""
        with self.raw() as connection, connection.cursor() as cursor:
            cursor.executemany(self._queries[name], [self.with_place(row) for row in rows])

    def put(self, name: str, rows: Sequence[Params]) -> list[Row]:
        """Run a named query that inserts one row of values for all rows at once; return what it returns."""
        answers: list[Row] = []
        for start in range(0, len(rows), MOST_ROWS):
            batch = [self.with_place(row) for row in rows[start : start + MOST_ROWS]]
            query, params = several(self._queries[name], batch)
            with self._under_way() as transaction, self._translate_errors():
                answers += self._answer(transaction, query, params)
        return answers

    def one(self, name: str, params: Params | None = None) -> Row | None:
        """Run a named query and return its first row."""
        rows = self.all(name, params)
        return rows[0] if rows else None

    @contextlib.contextmanager
    def raw(self) -> Iterator[Connection]:
        """Give the connection of the transaction under way, for what is no named query."""
        with self._under_way() as transaction, self._translate_errors():
            self._tell_limit(transaction.connection)
            yield transaction.connection

    @contextlib.contextmanager
    def writing(self, patience_ms: int | None = None) -> Iterator[None]:
        """Hold one transaction. One inside another is a part of it that can fail alone."""
        if self._transaction and self._transaction.writable:
            with self._part(self._transaction):
                yield
            return
        patience = self._patience_ms if patience_ms is None else min(patience_ms, self._patience_ms)
        with self._hold_transaction(_BEGIN_WRITE.format(max(1, patience)), writable=True) as transaction:
            yield
        for step in transaction.afterwards:
            with contextlib.suppress(errors.StoreError):  # what was written stays; upkeep does such steps, too
                step()

    @contextlib.contextmanager
    def reading(self, limit_ms: int | None = None) -> Iterator[None]:
        """Hold one snapshot over several reads; inside a transaction, that one's. Past the limit reads are cut."""
        with self._time_limit(limit_ms), self._under_way():
            yield

    @property
    def facts(self) -> Facts:
        """What is known of this store as a whole, but for what the transaction holds back (`settled`)."""
        with self._under_way() as transaction:
            if self.place not in transaction.facts:
                transaction.facts[self.place] = facts_from(self.all("place_facts"))
            return transaction.facts[self.place]

    @property
    def settled(self) -> Facts:
        """The same with what the transaction under way held back so far, which is written first."""
        self.write_changes()
        return self.facts

    def note_change(self, change: Params) -> None:
        """Note by how much something grew: all such changes of a transaction are written at its end."""
        if self._transaction and self._transaction.writable:
            self._transaction.changes.append(self.with_place(change))
        else:
            self.all("stat_add", change)

    def write_changes(self) -> None:
        """Write what was noted so far."""
        transaction = self._transaction
        if transaction and transaction.unembedded:
            waiting, transaction.unembedded = transaction.unembedded, {}
            for (place, target), rows in waiting.items():
                if rows:
                    marks = self.arrivals(len(rows))
                    own = {"place": place, "target": target, "seqs": sorted(rows), "marks": marks}
                    self.all("wait", own)
        if transaction and transaction.changes:
            changes, transaction.changes = transaction.changes, []
            self.put("stat_add", changes)

    def remember_rows(self, target: str, rows: Mapping[str, int]) -> None:
        """Remember the numbers of new rows, by id, as long as the transaction lasts."""
        if self._transaction:
            self._transaction.rows.setdefault((self.place, target), {}).update(rows)

    def made_rows(self, target: str) -> Mapping[str, int]:
        """Return the numbers of the rows that this transaction made, by id."""
        return self._transaction.rows.get((self.place, target), {}) if self._transaction else {}

    def let_wait(self, target: str, rows: Iterable[int]) -> None:
        """Let new rows wait for vectors, unless they get some before the transaction ends."""
        if self._transaction:
            self._transaction.unembedded.setdefault((self.place, target), set()).update(rows)

    def waiting_rows(self, target: str) -> set[int]:
        """The new rows of this transaction that have no vectors yet."""
        transaction = self._transaction
        return transaction.unembedded.setdefault((self.place, target), set()) if transaction else set()

    def will_show(self, ids: Iterable[str]) -> None:
        """Note which memories were read: their short ids are likely to be asked for."""
        if self._transaction and not self._transaction.writable:
            self._transaction.shown.setdefault(self.place, {}).update(dict.fromkeys(ids))

    def ids_ending(self, tail: str) -> list[str]:
        """Return the ids of memories with these last digits."""
        with self._under_way() as transaction:
            ids_by_tail = transaction.endings.setdefault(self.place, {})
            if tail in ids_by_tail and not transaction.writable:
                return ids_by_tail[tail]
            tails = {tail, *(full[-len(tail) :] for full in transaction.shown.pop(self.place, ()))}
            ids_by_tail |= {own: [] for own in tails}
            for (full,) in self.all("memories_ending", {"tails": sorted(tails)}):
                ids_by_tail[full[-len(tail) :]].append(full)
            return ids_by_tail[tail]

    def after_commit(self, step: Callable[[], None]) -> None:
        """Do something once the transaction under way is kept; when it is not, neither is this done."""
        if self._transaction:
            self._transaction.afterwards.append(step)

    @property
    def in_writing(self) -> bool:
        """Whether what this thread reads now, it may go on to change."""
        return self._transaction is not None and self._transaction.writable

    def saw(self, versions: Iterable[tuple[str, int]]) -> None:
        """Remember which version of rows was read, if they may be changed by this transaction."""
        if self._transaction and self._transaction.writable:
            self._transaction.seen |= dict(versions)

    def changed(self, ids: Iterable[str]) -> None:
        """What this transaction changed itself may have any version."""
        if self._transaction:
            for row_id in ids:
                self._transaction.seen.pop(row_id, None)
                self._transaction.held.pop(row_id, None)

    def hold(self, rows: Iterable[Row]) -> None:
        """Remember memories, with their rows, that nobody else can change until this transaction ends."""
        if self._transaction and self._transaction.writable:
            self._transaction.held |= {row[1]: row for row in rows}

    def held(self, ids: Iterable[str]) -> list[Row]:
        """Return those of these memories that it holds."""
        held_rows = self._transaction.held if self._transaction else {}
        return [held_rows[row_id] for row_id in ids if row_id in held_rows]

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

    def with_place(self, params: Params | None) -> dict[str, object]:
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
            if self._transaction and self._transaction.connection.told_ms:
                with contextlib.suppress(psycopg.Error):
                    self._transaction.connection.lift_limit()

    def _tell_limit(self, connection: Connection) -> None:
        """Refuse to ask what has no time left; let the server know of a limit, and keep to it here.

        The server is told once, and again when half of what it was told of is gone: a statement that goes on
        longer is given up on this side.
        """
        limit = self._limit
        if limit is None:
            connection.patience_s = LONGEST_S + _GRACE_S
            return
        remaining_ms = limit.left()
        if remaining_ms <= 0:
            raise errors.StoreSlow(path=self.address.shown, milliseconds=limit.milliseconds)
        connection.patience_s = remaining_ms / 1000 + _GRACE_S
        if not connection.told_ms or remaining_ms < connection.told_ms / 2:
            connection.set_limit(math.ceil(remaining_ms))

    def _answer(self, transaction: Transaction, query: str, params: Params) -> list[Row]:
        """Ask; what a replica breaks off, because it follows the first server, that one is asked."""
        if transaction.writable and not query.startswith(_READS):
            transaction.facts.clear()
        try:
            return self._run_query(transaction.connection, query, params)
        except psycopg.OperationalError as error:
            if not transaction.on_replica or isinstance(error, psycopg.errors.QueryCanceled):
                raise
        self._leave_replica(transaction)
        return self._run_query(transaction.connection, query, params)

    def _run_query(self, connection: Connection, query: str, params: Params) -> list[Row]:
        self._tell_limit(connection)
        cursor = connection.execute(query, params)
        return cursor.fetchall() if cursor.description else []

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
                if transaction.connection.pgconn.transaction_status != TransactionStatus.INERROR:
                    self.write_changes()
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
        changes = list(transaction.changes)
        waiting = {key: set(rows) for key, rows in transaction.unembedded.items()}
        try:
            yield
            with self._translate_errors():
                connection.execute(f"RELEASE {name}")
        except BaseException:
            del transaction.afterwards[callback_count:]
            transaction.changes, transaction.unembedded = changes, waiting
            for parts in (transaction.facts, transaction.rows, transaction.held):
                parts.clear()
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

    def _commit(self, connection: Connection) -> None:
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
                return Transaction(connection, stack, self, writable=False, on_replica=True)
        return Transaction(self._begin_on_first(stack, begin), stack, self, writable=writable)

    def _begin_on_first(self, stack: contextlib.ExitStack, begin: str) -> Connection:
        return self._begin_on(stack, self.connections.first, begin, self.address.connect_s)[0]

    def _begin_on_replica(self, stack: contextlib.ExitStack, replica: Replica) -> Connection | None:
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
        self, stack: contextlib.ExitStack, pool: Pool, begin: str, within_s: float
    ) -> "tuple[Connection, str | None]":
        """Begin on a connection that works, and return what a replica says of itself.

        What a restarted server left behind is thrown away.
        """
        limit_ms = max(1, math.ceil(self._limit.left())) if self._limit else 0
        messages = pool.opening(begin, self._role, self.tenant, limit_ms)
        until = time.monotonic() + self._patience_s(within_s)
        while True:
            with self._translate_errors(), contextlib.ExitStack() as attempt:
                connection = attempt.enter_context(pool.lend(until - time.monotonic()))
                connection.patience_s = max(0.05, until - time.monotonic())
                try:
                    connection.told_ms = limit_ms
                    cursor = connection.execute(messages[0])
                    for message in messages[1:]:
                        connection.execute(message)
                except psycopg.OperationalError:
                    if not connection.closed or time.monotonic() > until:
                        raise
                    continue
                stack.push(attempt.pop_all())
                return connection, second_answer(cursor)

    def _patience_s(self, most_s: float) -> float:
        """How long to wait for a connection on which to begin: no longer than a limit, but for the smallest."""
        return most_s if self._limit is None else min(most_s, max(0.05, self._limit.left() / 1000))

    def _translate_errors(self) -> contextlib.AbstractContextManager[None]:
        return translate_errors(self.address.shown, self._patience_ms, self._limit)
