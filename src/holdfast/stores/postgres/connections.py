"""What all stores on one server share: connections, a replica, named queries, and the transaction a thread is in.

A thread that works on two stores of a tenant at once, a project's and a person's, does so in one transaction on
one connection. With one for each, as many threads as there are connections could all wait for their second.
"""

import os
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct, field

from holdfast.stores.postgres import migrate
from holdfast.stores.postgres.errors import Limit
from holdfast.stores.postgres.server import APP, POOL_SIZE, Address, Connection, Pool, Replica, Row
from holdfast.stores.postgres.stats import Facts
from holdfast.stores.sql.queries import load_folder

if TYPE_CHECKING:
    from holdfast.stores.postgres.database import Database

_POSITION = "SELECT pg_current_wal_insert_lsn()::text"

Params = Mapping[str, object]

Owner = tuple[str, str]
"""A tenant, and the role that acts for it."""


class Transaction(Struct):
    """A transaction under way in a thread."""

    connection: Connection
    lent: ExitStack
    """Gives the connection back."""
    database: "Database"
    """The store that it was begun for."""
    writable: bool
    on_replica: bool = False
    depth: int = 1
    seen: dict[str, int] = field(default_factory=dict)
    """Which version of rows was read."""
    afterwards: list[Callable[[], None]] = field(default_factory=list)
    """What is done once it is kept."""
    facts: dict[int, Facts] = field(default_factory=dict)
    """What is known of stores as a whole."""
    changes: list[Params] = field(default_factory=list)
    """By how much things grew, until it is written, all at once."""
    rows: dict[tuple[int, str], dict[str, int]] = field(default_factory=dict)
    """The numbers of the rows that it made, by store, target and id."""
    held: dict[str, Row] = field(default_factory=dict)
    """Memories with their rows, by id, that nobody else can change until it ends."""
    shown: dict[int, dict[str, None]] = field(default_factory=dict)
    """The ids of memories that were read, by store."""
    endings: dict[int, dict[str, list[str]]] = field(default_factory=dict)
    """The ids of memories by their last digits, by store."""
    unembedded: dict[tuple[int, str], set[int]] = field(default_factory=dict)
    """New rows, by store and target, which wait for vectors once the transaction ends."""


class Own(threading.local):
    """What a thread is about, by tenant and role."""

    def __init__(self) -> None:
        self.transactions: dict[Owner, Transaction] = {}
        self.limits: dict[Owner, Limit] = {}


class Connections:
    """The connections to a server and, where it has one, to its replica."""

    def __init__(self, first: Pool, replica: Replica | None = None) -> None:
        self.first = first
        self.replica = replica
        self.own = Own()

    @classmethod
    def open(
        cls, dsn: str, *, replica: str | None = None, size: int = POOL_SIZE, role: str = APP
    ) -> "Connections":
        """Connect to a server; its schema is brought up where it is behind, as far as the login may.

        A replica that does not answer is done without for a while.
        """
        first = Pool(Address(dsn), size)
        copy = Replica(Pool(Address(replica), size)) if replica else None
        migrate.bring_up(first.address, role)
        first.open()
        try:
            if copy:
                with first.lend(first.address.connect_s) as connection:
                    row = connection.execute(_POSITION).fetchone()
                copy.wrote(row[0] if row else "0/0")  # what another process wrote before is not missed
                copy.pool.open(wait=False)
        except BaseException:
            first.close()
            raise
        return cls(first, copy)

    def close(self) -> None:
        self.first.close()
        if self.replica:
            self.replica.pool.close()


@cache
def load() -> dict[str, str]:
    """Return every query by name."""
    return load_folder(os.path.join(os.path.dirname(os.path.abspath(__file__)), "queries"))


def several(query: str, rows: Sequence[Mapping[str, object]]) -> tuple[str, dict[str, object]]:
    """Return a query that inserts one row of values as one that inserts several, and its parameters."""
    lead, values, rest = _around_values(query)
    params = {f"{name}_{number}": value for number, row in enumerate(rows) for name, value in row.items()}
    texts = [_PARAMETER.sub(rf"%(\1_{number})s", values) for number in range(len(rows))]
    return lead + ", ".join(texts) + rest, params


@cache
def _around_values(query: str) -> tuple[str, str, str]:
    """Split a query at the parentheses after its VALUES."""
    start = query.index("(", query.index("VALUES"))
    depth, end = 0, start
    for end in range(start, len(query)):
        depth += {"(": 1, ")": -1}.get(query[end], 0)
        if not depth:
            break
    return query[:start], query[start : end + 1], query[end + 1 :]


_PARAMETER = re.compile(r"%\((\w+)\)s")
