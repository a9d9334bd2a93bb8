"""Reading what is left of a damaged store: the rows that are as they were written, and which ones are missing.

A page that cannot be read takes its rows with it and nothing else. What should be there is known from the index of
ids, which lies on other pages than the rows.
"""

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, cast

from holdfast.errors import StoreError
from holdfast.stores.sqlite.sealed import SealedTable, every, read_sound

if TYPE_CHECKING:
    from holdfast.stores.sqlite.connection import Database, Row

MOST_NUMBERS = 1_000_000
"""Rows that are looked for one by one where a table can no longer be read in a row."""


class Remains(NamedTuple):
    """What is left of a table."""

    sound: dict[int, object]
    """The values that are as they were written, by the numbers of their rows."""
    expected: dict[int, str]
    """The ids of the rows that should be there, by their numbers."""
    known: bool
    """Whether that can be told: the index of ids could be read."""

    def missing(self) -> dict[int, str]:
        """Return the rows that should be there and are not as they were written."""
        ids = {getattr(value, "id", "") for value in self.sound.values()}
        return {
            number: row_id
            for number, row_id in self.expected.items()
            if number not in self.sound and row_id not in ids
        }


def remains_of(database: "Database", table: SealedTable) -> Remains:
    """Read what is left of a table."""
    sound: dict[int, object] = {}
    expected_ids, is_known = _expected_ids(database, table)
    try:
        for row in every(database, table):
            _take(table, row, sound, expected_ids)
    except StoreError:
        for number in _numbers(database, table, expected_ids):
            with contextlib.suppress(StoreError):
                for row in database.all(f"{table.name}_every", {"after": number - 1, "limit": 1}):
                    if row[0] == number:
                        _take(table, row, sound, expected_ids)
    return Remains(sound, expected_ids, is_known)


def raw_rows(database: "Database", table: str, columns: str) -> "list[Row]":
    """Return the rows of a table that can be read, from its beginning on and, past a torn page, from its end."""
    rows: dict[Row, None] = {}
    for order in ("ASC", "DESC"):
        try:
            for row in database.rows(f"SELECT {columns} FROM {table} ORDER BY 1 {order}"):
                rows.setdefault(row)
            break
        except StoreError:
            for row in _until_torn(database, table, columns, order):
                rows.setdefault(row)
    return list(rows)


def last_number(database: "Database", table: str) -> int:
    """Return the highest number that a row of a table ever had, 0 where that cannot be told."""
    with contextlib.suppress(StoreError):
        for (number,) in database.rows("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)):
            return number if isinstance(number, int) else 0
    return 0


def deleted_numbers(database: "Database", table: str) -> set[int]:
    """Return the numbers of rows that were removed, as far as the log of changes can be read."""
    with contextlib.suppress(StoreError):
        rows = database.rows("SELECT row FROM change WHERE target = ? AND action = 'delete'", (table,))
        return {cast(int, number) for (number,) in rows}
    return set()


def _take(table: SealedTable, row: "Row", sound: dict[int, object], expected_ids: dict[int, str]) -> None:
    number = cast(int, row[0])
    value = read_sound(table, row[1:])
    if value is not None:
        sound[number] = value
    elif number not in expected_ids:
        expected_ids[number] = row[1] if isinstance(row[1], str) else ""


def _expected_ids(database: "Database", table: SealedTable) -> tuple[dict[int, str], bool]:
    if table.name == "alias":
        return {}, True
    index = f"sqlite_autoindex_{table.name}_1"
    try:
        rows = database.rows(f"SELECT seq, CAST(id AS BLOB) FROM {table.name} INDEXED BY {index}")
    except StoreError:
        return {}, False
    return {cast(int, number): cast(bytes, row_id).decode(errors="replace") for number, row_id in rows}, True


def _numbers(database: "Database", table: SealedTable, expected_ids: dict[int, str]) -> Iterator[int]:
    """Return the numbers to look for where a table cannot be read in a row."""
    if expected_ids:
        return iter(sorted(expected_ids))
    return iter(range(1, min(last_number(database, table.name), MOST_NUMBERS) + 1))


def _until_torn(database: "Database", table: str, columns: str, order: str) -> "Iterator[Row]":
    """Read row by row until a page cannot be read."""
    offset = 0
    with contextlib.suppress(StoreError):
        while rows := database.rows(f"SELECT {columns} FROM {table} ORDER BY 1 {order} LIMIT 1 OFFSET {offset}"):
            yield from rows
            offset += 1
