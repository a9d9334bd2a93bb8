"""One table of another program's SQLite file, row by row: values, and nothing in the file can run."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from holdfast.errors import NotAStore
from holdfast.stores.sqlite.hardened import hardened

MOST_ROWS = 200_000
LONGEST = 1_048_576
"""Longer texts are not read; what may be kept is far shorter."""


def read_table(path: Path, table: str, most: int = MOST_ROWS) -> Iterator[Mapping[str, object]]:
    """Hand out the rows of a table; none where there is no such table. Texts that are too long come as None."""
    with hardened(path) as reader:
        if reader.one("PRAGMA encoding") != "UTF-8":
            raise NotAStore(path=path, problem="its text is not UTF-8")
        columns = reader.columns(table) or []
        shown = ", ".join(
            f"iif(octet_length({_quoted(name)}) <= {LONGEST}, {_text(name)}, NULL)" for name in columns
        )
        if not columns:
            return
        for row in reader.each(f"SELECT {shown} FROM main.{_quoted(table)} NOT INDEXED LIMIT {most}"):
            yield {name: _value(value) for name, value in zip(columns, row, strict=True)}


def _text(name: str) -> str:
    """Read texts as bytes, to be decoded with care; numbers as they are."""
    return f"iif(typeof({_quoted(name)}) = 'text', CAST({_quoted(name)} AS BLOB), {_quoted(name)})"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _value(value: object) -> object:
    return value.decode(errors="replace") if isinstance(value, bytes) else value
