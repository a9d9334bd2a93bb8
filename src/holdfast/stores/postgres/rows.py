"""Rows of PostgreSQL to values and back: lists are arrays, objects are JSON; whose they are the store says."""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from psycopg.types.json import Json

from holdfast.model.brief import Receipt
from holdfast.model.finding import Finding
from holdfast.model.ids import is_full_id
from holdfast.model.kinds import QUARANTINE
from holdfast.model.memory import Memory
from holdfast.model.session import Session
from holdfast.model.thread import Thread
from holdfast.stores.postgres.database import Database
from holdfast.stores.postgres.server import Row
from holdfast.stores.sql.tables import SHAPES, Tables, columns_of, value_from

T = TypeVar("T")

NOBODY = "00000000-0000-0000-0000-000000000000"
"""The id that nothing has: what can be no id matches nothing."""

_VERSIONED = (Memory, Session)
"""Kinds of values whose rows have a version, which comes last and is the store's own."""

_UNHELD = re.compile("[\0\ud800-\udfff]")
"""What the server's texts cannot hold."""

_EVIDENCE = SHAPES[Finding].fields.index("evidence")
"""Where a finding's row has three arrays instead: turns, starts, stops."""


def known_ids(ids: Iterable[str]) -> list[str]:
    """Return those of the ids that can be somebody's: the column takes nothing else."""
    return [text for text in ids if is_full_id(text)]


def sought(text: str) -> str:
    """Return a text as it can be asked for: what the server's texts cannot hold becomes what none does hold."""
    return _UNHELD.sub("\uffff", text)


def value_of(kind: type[T], row: Row) -> T:
    """Read a value."""
    if kind in _VERSIONED:
        row = row[:-1]
    elif kind is Finding:
        places = zip(*row[_EVIDENCE : _EVIDENCE + 3], strict=True)
        row = (*row[:_EVIDENCE], places, *row[_EVIDENCE + 3 :])
    return value_from(kind, dict(zip(SHAPES[kind].fields, row, strict=True)))


def row_of(value: object) -> dict[str, Any]:
    """Write a value; whose it is the store says."""
    row = columns_of(value)
    row.pop("tenant", None)
    for name in SHAPES[type(value)].objects:
        row[name] = Json(row[name])
    if isinstance(value, Memory):
        row["judged"] = QUARANTINE in value.metadata
    elif isinstance(value, Receipt):
        row["items"] = Json(row["items"])
    elif isinstance(value, Thread):
        row["statements"] = Json(row["statements"])
    elif isinstance(value, Finding):
        places = row.pop("evidence")
        row |= {name: [place[spot] for place in places] for spot, name in enumerate(("turns", "starts", "stops"))}
    return row


class PostgresTables(Tables):
    """`sql.Tables` on PostgreSQL: a list is a parameter as an array, and the versions of rows are remembered."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._database = database

    def values(self, kind: type[T], rows: Sequence[Row]) -> list[T]:
        if kind in _VERSIONED:
            self._database.saw((row[0], row[-1]) for row in rows)
        return [value_of(kind, row) for row in rows]

    def numbered(self, kind: type[T], rows: Sequence[Row]) -> list[tuple[int, T]]:
        values = self.values(kind, [row[1:] for row in rows])
        return [(row[0], value) for row, value in zip(rows, values, strict=True)]

    def row(self, value: object) -> dict[str, Any]:
        return row_of(value)

    def fact(self, name: str) -> Any:
        """Whoever writes may wait for another who changes it first, and reads it then."""
        is_settled = not self._database.in_writing
        text = self._database.facts.notes.get(name) if is_settled else super().fact(name)
        return None if text is None else json.loads(text)

    def note(self, name: str, value: object) -> None:
        super().note(name, json.dumps(value))

    def id(self, text: str | None) -> str | None:
        return text if text is None or is_full_id(text) else NOBODY

    def ids(self, texts: Iterable[str]) -> list[str]:
        return known_ids(texts)

    def text(self, text: str) -> str:
        return sought(text)

    def texts(self, texts: Iterable[str]) -> list[str]:
        return [sought(text) for text in texts]

    def numbers(self, numbers: Iterable[int]) -> list[int]:
        return list(numbers)
