"""Seals of rows: a checksum of what was written, by which a row that a failing disk changed is known. Light.

SQLite checks how its pages hang together, not what stands in them: one flipped bit in a title would be read as if
somebody had written it. What is only counted (reads, turns of a session) is not sealed: SQL adds to it in place. A
column that comes with a later schema is sealed where it is not NULL, so that the seals of older rows still hold.
"""

import zlib
from operator import itemgetter

TYPE_CHECKING = False  # typing's own, without importing typing: hooks share this module
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import TypeVar

    from holdfast.stores.sqlite.connection import Database, Row, Value

    T = TypeVar("T")

UNREADABLE = (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError)
"""What reading a row raises when it does not hold what was written; a broken seal is a ValueError."""

FACTS = "facts_seal"
"""Under which name a store keeps the seal of the facts about itself."""


class Seal:
    """How the rows of one table are sealed: by these columns, in the order in which they are read."""

    def __init__(self, columns: "Sequence[str]", counters: "Iterable[str]" = ()) -> None:
        names = [name for name in columns if name not in set(counters)]
        self._labels = [f"\x1f{name}=" for name in names]
        self._names = names
        self._pick = itemgetter(*(columns.index(name) for name in names))

    def of(self, values: "Row") -> int:
        """Return the seal of values in the order of the columns."""
        return _checksum(zip(self._labels, self._pick(values), strict=True))

    def of_row(self, row: "Mapping[str, Value]") -> int:
        """Return the seal of values by name."""
        return _checksum((label, row[name]) for label, name in zip(self._labels, self._names, strict=True))

    def check(self, row: "Row") -> None:
        """Raise when a row, its seal last, is not as it was written. A row without one can only be believed."""
        stored_seal = row[-1]
        if stored_seal is not None and stored_seal != self.of(row):
            raise ValueError("the row is not as it was written")


def seal_of_facts(facts: "Iterable[Row]") -> int:
    """Return the seal of names and values."""
    return _checksum((f"\x1f{name!s}=", value) for name, value in facts)


def seal_facts(database: "Database") -> None:
    """Seal the facts about a store that never change by themselves."""
    seal = seal_of_facts(database.all("facts_sealed"))
    database.all("meta_set", {"key": FACTS, "value": seal})


def facts_are_sound(database: "Database") -> bool:
    """Whether the facts about a store are as they were written; a store that never sealed them can be believed."""
    row = database.one("meta_get", {"key": FACTS})
    return row is None or row[0] == seal_of_facts(database.all("facts_sealed"))


def _checksum(values: "Iterable[tuple[str, Value]]") -> int:
    text = "".join(
        [label + (value if type(value) is str else repr(value)) for label, value in values if value is not None]
    )
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))


def readable(database: "Database", table: str, decode: "Callable[[Row], T]", rows: "Sequence[Row]") -> "list[T]":
    """Read rows; those that do not hold what was written are left out, and that is noted."""
    try:
        return [decode(row) for row in rows]
    except UNREADABLE:
        return [value for row in rows for value in _read_or_note(database, table, decode, row)]


def _read_or_note(
    database: "Database", table: str, decode: "Callable[[Row], T]", row: "Row"
) -> "tuple[T] | tuple[()]":
    try:
        return (decode(row),)
    except UNREADABLE:
        database.leave_out(f"{table} {_name_of(row)}")
        return ()


def _name_of(row: "Row") -> str:
    """Return what a row is called: its id, which stands first, or second after its number."""
    return next((value for value in row[:2] if isinstance(value, str)), "of which not even the id can be read")
