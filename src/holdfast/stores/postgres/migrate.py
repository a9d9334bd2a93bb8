"""Bringing a database up to the schema this package knows: numbered files, each once, one process at a time."""

import hashlib
from typing import TYPE_CHECKING

import psycopg

from holdfast import errors
from holdfast.stores.postgres.connection import Address, translated
from holdfast.stores.postgres.queries import migrations, read_sql

if TYPE_CHECKING:
    from holdfast.stores.postgres.connection import Connection

_LOCK = 0x686F6C64  # "hold"
_CITUS = 9_000
"""The number of the step that only a cluster takes."""

_LEDGER = """
SET LOCAL ROLE holdfast_owner;
SET LOCAL search_path TO holdfast, public;
CREATE TABLE IF NOT EXISTS migration (
  number     integer PRIMARY KEY,
  name       text NOT NULL,
  checksum   text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now()
)
"""


def bring_up(address: Address) -> int:
    """Apply what is missing; return the number of the schema. Needs a login that may make roles and schemas."""
    with (
        translated(address.shown, 0),
        psycopg.connect(address.conninfo(), autocommit=True) as connection,
    ):
        known = version(connection)
        plan = migrations()
        if known == plan[-1][0]:
            return known
        if known > plan[-1][0]:
            raise errors.StoreTooNew(path=address.shown, version=known, known=plan[-1][0])
        connection.execute("SELECT pg_advisory_lock(%s)", (_LOCK,))
        try:
            return _apply(connection, plan, address)
        finally:
            connection.execute("SELECT pg_advisory_unlock(%s)", (_LOCK,))


def version(connection: "Connection") -> int:
    """Return the number of the schema that a database has; 0 when it has none."""
    row = connection.execute("SELECT to_regclass('holdfast.migration') IS NOT NULL").fetchone()
    if not (row and row[0]):
        return 0
    row = connection.execute(
        "SELECT coalesce(max(number), 0) FROM holdfast.migration WHERE number < %s", (_CITUS,)
    ).fetchone()
    return int(row[0]) if row else 0


def _apply(connection: "Connection", plan: list[tuple[int, str, str]], address: Address) -> int:
    if version(connection) == 0:
        with connection.transaction():
            connection.execute(read_sql("roles.sql"))
            connection.execute(_LEDGER)
    with connection.transaction():
        connection.execute("SET LOCAL ROLE holdfast_owner")
        rows = connection.execute("SELECT number, checksum FROM holdfast.migration").fetchall()
    done = {int(number): str(checksum) for number, checksum in rows}
    for number, name, text in plan:
        checksum = hashlib.sha256(text.encode()).hexdigest()
        if number not in done:
            _run(connection, number, name, text, checksum)
        elif done[number] != checksum:
            raise errors.StoreError(path=address.shown, problem=f"migration {name} is not what was applied")
    if _CITUS not in done and _has_citus(connection):
        text = read_sql("citus.sql")
        _run(connection, _CITUS, "citus", text, hashlib.sha256(text.encode()).hexdigest())
    return plan[-1][0]


def _has_citus(connection: "Connection") -> bool:
    row = connection.execute("SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')").fetchone()
    return bool(row and row[0])


def _run(connection: "Connection", number: int, name: str, text: str, checksum: str) -> None:
    with connection.transaction():
        connection.execute("SET LOCAL ROLE holdfast_owner")
        connection.execute("SET LOCAL search_path TO holdfast, public")
        connection.execute(text)
        connection.execute(
            "INSERT INTO migration (number, name, checksum) VALUES (%s, %s, %s)", (number, name, checksum)
        )
