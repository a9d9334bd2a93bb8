"""The tables whose rows are sealed: every row gone through, those that are not as they were written told apart.

What must not be here: what is done about a damaged row.
"""

import contextlib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, cast

from holdfast.model.finding import Finding
from holdfast.model.ids import fingerprint
from holdfast.model.memory import Memory
from holdfast.stores.sql.shapes import SHAPES
from holdfast.stores.sqlite.rows import ALIAS_SEAL, SEALS, alias_of, alias_row, row_of, value_of
from holdfast.stores.sqlite.seals import UNREADABLE, Seal, seal_facts

if TYPE_CHECKING:
    from holdfast.stores.sqlite.connection import Database, Row, Value

_CHUNK = 1_000
"""Rows that are read at once."""

_TITLE = SHAPES[Memory].fields.index("title")
"""Where a memory's row has its title."""

_LABEL_CHARS = 60
"""How much of a damaged row's title is shown: enough to know it again."""


class SealedTable(NamedTuple):
    """A table, and how its rows are read and written."""

    name: str
    seal: Seal
    decode: "Callable[[Row], object]"
    row: "Callable[[object], Mapping[str, Value]]"


class DamagedRow(NamedTuple):
    """A row that is not as it was written."""

    table: str
    number: int
    called: str
    """What can still be read of it: its id, and the beginning of its title."""

    def __str__(self) -> str:
        return f"{self.table} {self.called}" if self.called else f"row {self.number} of {self.table}"


SEALED_TABLES = (
    *(SealedTable(SHAPES[kind].table, seal, partial(value_of, kind), row_of) for kind, seal in SEALS.items()),
    SealedTable("alias", ALIAS_SEAL, alias_of, lambda pair: alias_row(*cast("tuple[str, str]", pair))),
)
"""Those that others refer to first."""


def every(database: "Database", table: SealedTable) -> "Iterator[Row]":
    """Hand out every row of a table that is text at all, with its number before it."""
    after = 0
    while chunk := database.all(f"{table.name}_every", {"after": after, "limit": _CHUNK}):
        yield from chunk
        if len(chunk) < _CHUNK and not database.left_out:
            return
        after = cast("int", chunk[-1][0])


def damaged_rows(database: "Database") -> list[DamagedRow]:
    """Return every row that is not as it was written."""
    return [row for table in SEALED_TABLES for row in _damaged_in(database, table)]


def _damaged_in(database: "Database", table: SealedTable) -> Iterator[DamagedRow]:
    seen_numbers: set[int] = set()
    for row in every(database, table):
        number = cast("int", row[0])
        seen_numbers.add(number)
        if read_sound(table, row[1:]) is None:
            yield DamagedRow(table.name, number, _row_label(table.name, row[1:]))
    if table.name != "alias":
        numbers = {cast("int", number) for (number,) in database.rows(f"SELECT seq FROM {table.name} NOT INDEXED")}
        yield from (DamagedRow(table.name, number, "") for number in sorted(numbers - seen_numbers))


def read_sound(table: SealedTable, row: "Row") -> object | None:
    """Return the value of a row; None when it is not as it was written."""
    try:
        value = table.decode(row)
    except UNREADABLE:
        return None
    if row[-1] is None and not _plausible(table, value):
        return None
    return value


def _plausible(table: SealedTable, value: object) -> bool:
    """Whether a row without a seal may be believed: it says what its fingerprint says, and can be written.

    An alias is a pair of words, and nothing can be told of it.
    """
    if isinstance(value, Memory | Finding) and value.fingerprint != fingerprint(value.content):
        return False
    try:
        return bool(table.row(value))
    except UNREADABLE:
        return False


def seal_rows(database: "Database") -> None:
    """Seal what was written before there were seals, inside a transaction; not what is damaged already."""
    for table in SEALED_TABLES:
        sealing = [] if table.name == "alias" else list(_unsealed_rows(database, table))
        if sealing:
            database.many(f"{table.name}_seal", sealing)
    seal_facts(database)


def _unsealed_rows(database: "Database", table: SealedTable) -> "Iterator[Mapping[str, Value]]":
    for row in every(database, table):
        if row[-1] is None and read_sound(table, row[1:]) is not None:
            yield {"number": row[0], "seal": table.seal.of(row[1:])}


def _row_label(table: str, row: "Row") -> str:
    """Return what can be read of a damaged row's id and title."""
    with contextlib.suppress(IndexError):
        name, title = row[0], row[_TITLE] if table == "memory" else ""
        if isinstance(name, str):
            return f"{name} ({title[:_LABEL_CHARS]!r})" if isinstance(title, str) and name and title else name
    return ""
