"""Tables of another program's SQLite file, row by row: values, and nothing in the file can run."""

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from holdfast.errors import NotAStore
from holdfast.ports import Rows
from holdfast.stores.sqlite.hardened import SECONDS, HardenedReader, hardened

MOST_ROWS = 200_000
"""Rows that are read of one table."""

LONGEST = 1_048_576
"""Longer texts are not read; what may be kept is far shorter."""


@contextlib.contextmanager
def open_tables(path: Path, seconds: float = SECONDS) -> Iterator[Rows]:
    """Open a file; what is yielded hands out the rows of a table, or those that have a value in a column."""
    with hardened(path, seconds) as reader:
        if reader.one("PRAGMA encoding") != "UTF-8":
            raise NotAStore(path=path, problem="its text is not UTF-8")

        def rows(table: str, column: str = "", value: str = "") -> Iterator[Mapping[str, object]]:
            return _rows(reader, table, column, value)

        yield rows


def read_table(path: Path, table: str) -> Iterator[Mapping[str, object]]:
    """Hand out the rows of a table; none where there is no such table. Texts that are too long come as None."""
    with open_tables(path) as rows:
        yield from rows(table)


def _rows(reader: HardenedReader, table: str, column: str, value: str) -> Iterator[Mapping[str, object]]:
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
