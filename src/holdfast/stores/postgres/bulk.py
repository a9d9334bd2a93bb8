"""Many new rows at once: sent as one binary stream into a table of the transaction's own, and moved from there.

The server refuses COPY into a table that has row-level security. From a table beside it an INSERT goes through the
policies like any other.
"""

from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

from psycopg import sql

from holdfast.stores.postgres.connection import Database

BULK_FROM = 200
"""Rows from which on the way round is the shorter one."""

_UUID = 2950
"""The number of the type `uuid`."""


def insert(database: Database, query: str, table: str, rows: Sequence[Mapping[str, object]]) -> None:
    """Add rows with a named query, or, when there are many, all at once."""
    if len(rows) < BULK_FROM:
        database.many(query, rows)
        return
    names = list(database.with_place(rows[0]))
    load(database, table, names, (list(database.with_place(row).values()) for row in rows))


def load(database: Database, table: str, names: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Add rows of values all at once."""
    columns = sql.SQL(", ").join(map(sql.Identifier, names))
    parts = {"table": sql.Identifier(table), "stage": sql.Identifier(f"load_{table}"), "columns": columns}
    make = sql.SQL("CREATE TEMP TABLE {stage} ON COMMIT DROP AS SELECT {columns} FROM {table} WHERE false")
    move = sql.SQL("INSERT INTO {table} ({columns}) SELECT {columns} FROM {stage}")
    with database.raw() as connection, connection.cursor() as cursor:
        cursor.execute(make.format(**parts))
        shape = cursor.execute(sql.SQL("SELECT {columns} FROM {stage}").format(**parts)).description or []
        types = [column.type_code for column in shape]
        ids = {place for place, code in enumerate(types) if code == _UUID}
        with cursor.copy(sql.SQL("COPY {stage} ({columns}) FROM STDIN (FORMAT binary)").format(**parts)) as stream:
            stream.set_types(types)
            for row in rows:
                stream.write_row(
                    [UUID(str(value)) if place in ids and value else value for place, value in enumerate(row)]
                )
        cursor.execute(move.format(**parts))
        cursor.execute(sql.SQL("DROP TABLE {stage}").format(**parts))
