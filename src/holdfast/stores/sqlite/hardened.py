"""A connection to a file that somebody else may have made: it reads rows, and nothing in the file can run.

Triggers and views are off, nothing is written, no log is looked for, and time and sizes are bounded. The tables of
another program's file are read through it row by row, as plain values.
"""

import contextlib
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

import apsw

from holdfast.errors import NotAStore, StoreDamaged
from holdfast.machine import paths
from holdfast.ports import Rows
from holdfast.stores.sqlite import files
from holdfast.stores.sqlite.connection import Row, Value, frozen_uri, translate_errors

SECONDS = 60
"""How long reading such a file may take: one can be made that takes for ever."""

MOST_BYTES = 16 * 1024 * 1024
"""The longest value that is read at all."""

MOST_ROWS = 200_000
"""Rows that are read of one table."""

LONGEST = 1_048_576
"""Longer texts are not read; what may be kept is far shorter."""

_SWITCHES = (
    (apsw.SQLITE_DBCONFIG_DEFENSIVE, 1),
    (apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
    (apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0),
    (apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
    (apsw.SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0),
    (apsw.SQLITE_DBCONFIG_DQS_DDL, 0),
    (apsw.SQLITE_DBCONFIG_DQS_DML, 0),
)
_LIMITS = (
    (apsw.SQLITE_LIMIT_LENGTH, MOST_BYTES),
    (apsw.SQLITE_LIMIT_SQL_LENGTH, 1_000_000),
    (apsw.SQLITE_LIMIT_COLUMN, 200),
    (apsw.SQLITE_LIMIT_EXPR_DEPTH, 100),
    (apsw.SQLITE_LIMIT_ATTACHED, 0),
    (apsw.SQLITE_LIMIT_TRIGGER_DEPTH, 1),
)
COMPUTED_COLUMNS = {("turn", "day"), ("turn", "speaker")}
"""The columns that our own schema computes from others."""


class HardenedReader:
    """Reads one frozen file."""

    def __init__(self, path: Path, seconds: float = SECONDS) -> None:
        self.path = path
        self._end = time.monotonic() + seconds
        with translate_errors(str(path), 0):
            flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
            self._connection = apsw.Connection(frozen_uri(str(path)), flags=flags)
            for switch, value in _SWITCHES:
                self._connection.config(switch, value)
            for limit, most in _LIMITS:
                self._connection.limit(limit, most)
            self._connection.set_progress_handler(self._too_late, 10_000)
            self.rows("PRAGMA cell_size_check = ON")

    def rows(self, sql: str, params: tuple[Value, ...] = ()) -> list[Row]:
        """Run one statement and return its rows."""
        return list(self.each(sql, params))

    def each(self, sql: str, params: tuple[Value, ...] = ()) -> Iterator[Row]:
        """Run one statement and hand out its rows."""
        with translate_errors(str(self.path), 0):
            yield from self._connection.execute(sql, params)

    def one(self, sql: str) -> Value:
        """Return the first value of the first row."""
        rows = self.rows(sql)
        return rows[0][0] if rows else None

    def number(self, sql: str) -> int:
        """Return a number; 0 for anything else."""
        value = self.one(sql)
        return value if isinstance(value, int) else 0

    def columns(self, table: str) -> list[str] | None:
        """Return the columns of a plain table, None when there is no such table.

        A view, a virtual table or a generated column would run the maker's code, so they are refused. The columns
        that our own schema computes are passed over: what is not asked for is not computed.
        """
        kinds = self.rows("SELECT type FROM pragma_table_list WHERE schema = 'main' AND name = ?", (table,))
        if not kinds:
            return None
        if kinds != [("table",)]:
            raise StoreDamaged(path=self.path, problem=f"{table} is a {kinds[0][0]!s}, not a table")
        columns = cast(
            "list[tuple[str, int]]", self.rows("SELECT name, hidden FROM pragma_table_xinfo(?)", (table,))
        )
        computed_columns = [name for name, how in columns if how and (table, name) not in COMPUTED_COLUMNS]
        if computed_columns:
            raise StoreDamaged(path=self.path, problem=f"{table}.{computed_columns[0]} is computed, not kept")
        return [name for name, how in columns if not how]

    def close(self) -> None:
        self._connection.close()

    def _too_late(self) -> bool:
        return time.monotonic() > self._end


@contextlib.contextmanager
def hardened(path: Path, seconds: float = SECONDS) -> Iterator[HardenedReader]:
    """Read a file without touching it. Where a log lies beside it, both are read from a private copy."""
    log = files.beside(path, "-wal")
    if log.exists() and log.stat().st_size:
        with _copy_with_log(path) as copy:
            yield from _open_reader(copy, seconds)
    else:
        yield from _open_reader(path, seconds)


@contextlib.contextmanager
def open_tables(path: Path, seconds: float = SECONDS) -> Iterator[Rows]:
    """Open a file; what is yielded hands out the rows of a table, or those that have a value in a column."""
    with hardened(path, seconds) as reader:
        if reader.one("PRAGMA encoding") != "UTF-8":
            raise NotAStore(path=path, problem="its text is not UTF-8")

        def rows(table: str, column: str = "", value: str = "") -> Iterator[Mapping[str, object]]:
            return _table_rows(reader, table, column, value)

        yield rows


def read_table(path: Path, table: str) -> Iterator[Mapping[str, object]]:
    """Hand out the rows of a table; none where there is no such table. Texts that are too long come as None."""
    with open_tables(path) as rows:
        yield from rows(table)


def _open_reader(path: Path, seconds: float) -> Iterator[HardenedReader]:
    reader = HardenedReader(path, seconds)
    try:
        yield reader
    finally:
        reader.close()


@contextlib.contextmanager
def _copy_with_log(path: Path) -> Iterator[Path]:
    """Copy a database and its log into the user's own directory, and move the log into the copy."""
    import shutil

    own = Path(paths.data_directory())
    paths.make_private(str(own))
    with files.private_file(own / "copy.db") as copy:  # what a killed process leaves is swept from there
        for tail in ("", "-wal"):
            shutil.copyfile(files.beside(path, tail), files.beside(copy, tail))
        with translate_errors(str(path), 0):
            connection = apsw.Connection(str(copy))
            for switch, value in _SWITCHES:
                connection.config(switch, value)
            for _ in connection.execute("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE"):
                pass
            connection.close()
        yield copy


def _table_rows(reader: HardenedReader, table: str, column: str, value: str) -> Iterator[Mapping[str, object]]:
    columns = reader.columns(table) or []
    if not columns or (column and column not in columns):
        return
    expressions = ", ".join(
        f"iif(octet_length({_quote(name)}) <= {LONGEST}, {_text(name)}, NULL)" for name in columns
    )
    condition = f"WHERE {_quote(column)} = ?" if column else "NOT INDEXED"
    query = f"SELECT {expressions} FROM main.{_quote(table)} {condition} LIMIT {MOST_ROWS}"
    for row in reader.each(query, (value,) if column else ()):
        yield {name: _value(cell) for name, cell in zip(columns, row, strict=True)}


def _text(name: str) -> str:
    """Read texts as bytes, to be decoded with care; numbers as they are."""
    return f"iif(typeof({_quote(name)}) = 'text', CAST({_quote(name)} AS BLOB), {_quote(name)})"


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _value(value: object) -> object:
    return value.decode(errors="replace") if isinstance(value, bytes) else value
