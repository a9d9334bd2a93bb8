"""Rows of SQLite to values and back: lists and objects are JSON. Light.

SQLite checks how its pages hang together, not what a row holds. A flipped bit can make a number of a text: a row
whose columns are not of the types of its value is damaged, and reading it raises StoreDamaged.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from holdfast.errors import StoreDamaged
from holdfast.model.finding import Finding
from holdfast.model.memory import Memory
from holdfast.model.session import Turn
from holdfast.stores.analyser import identifiers
from holdfast.stores.sql.tables import SHAPES, Row, Tables, columns_of, value_from

if TYPE_CHECKING:
    from holdfast.stores.sqlite.connection import Database, Value

T = TypeVar("T")

V = TypeVar("V")


UNREADABLE = (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError)
"""What making a value raises when its row does not hold what was written."""

_JSON = {
    kind: (*shape.lists, *shape.objects, *(name for name, _ in shape.parts)) for kind, shape in SHAPES.items()
}
"""The columns of each kind of value that are JSON."""

SCRUB_PENDING = "scrub_pending"
"""Under which name a store remembers that deleted text waits to be driven out of its files."""

to_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
"""Write a list or an object as a column. Made once: json.dumps would make the encoder anew at every call."""


_TYPES = {"str": str, "int": int, "bool": int, "float": float, "None": type(None)}
_NAMES = re.compile(r"\b(?:str|int|bool|float|None)\b")
_sound_types: set[tuple[type, tuple[type, ...]]] = set()
"""Kinds of values with the types of columns that were found to fit them: there are few."""


def value_of(kind: type[T], row: Row) -> T:
    """Read a value; raises one of UNREADABLE when the row does not hold one."""
    types = kind, tuple(map(type, row))
    if types not in _sound_types:
        _check_types(*types)
    columns = dict(zip(SHAPES[kind].fields, row, strict=True))
    for name in _JSON[kind]:
        text = columns[name]
        columns[name] = () if text == "[]" else {} if text == "{}" else json.loads(text)  # most are empty
    return value_from(kind, columns)


def _check_types(kind: type, types: tuple[type, ...]) -> None:
    """Compare the types of a row's columns with those of the value's fields."""
    for name, found_type in zip(SHAPES[kind].fields, types, strict=True):
        names = ["str"] if name in _JSON[kind] else _NAMES.findall(str(kind.__annotations__[name]))
        if found_type not in {_TYPES[name] for name in names} and not (found_type is int and "float" in names):
            raise ValueError(f"{name} is of another type")
    _sound_types.add((kind, types))


def numbered_value(kind: type[T], row: Row) -> tuple[int, T]:
    """Read a value with the number of its row before it."""
    return row[0], value_of(kind, row[1:])


def row_of(value: object) -> dict[str, Any]:
    """Write a value, with the identifier parts that its index holds."""
    row = columns_of(value)
    for name in _JSON[type(value)]:
        row[name] = to_json(row[name])
    if isinstance(value, Memory):
        row["identifiers"] = identifiers(value.title, value.content, value.context, " ".join(value.files))
    elif isinstance(value, Turn):
        row["identifiers"] = identifiers(value.text, " ".join(value.files))
    return row


def evidence_rows(finding: Finding) -> "list[Mapping[str, Value]]":
    """Write where a finding was said: evidence has rows of its own."""
    return [
        {"id": finding.id, "place": place, "turn": evidence.turn, "start": evidence.start, "stop": evidence.end}
        for place, evidence in enumerate(finding.evidence)
    ]


def row_name(kind: type, row: Row) -> str:
    """Return what a row is called: its id, which stands first, or second after its number."""
    table = SHAPES[kind].table
    return next((f"{table} {value}" for value in row[:2] if isinstance(value, str)), f"a row of {table}")


class SqliteTables(Tables):
    """`sql.Tables` on SQLite: a list is a parameter as JSON, and any text can be looked for."""

    def __init__(self, database: "Database") -> None:
        super().__init__(database)
        self._database = database

    def values(self, kind: type[T], rows: Sequence[Row]) -> list[T]:
        return self._read(kind, value_of, rows)

    def numbered(self, kind: type[T], rows: Sequence[Row]) -> list[tuple[int, T]]:
        return self._read(kind, numbered_value, rows)

    def _read(self, kind: type[T], read: Callable[[type[T], Row], V], rows: Sequence[Row]) -> list[V]:
        row: Row = ()
        values = []
        try:
            for row in rows:
                values.append(read(kind, row))
        except UNREADABLE as error:
            raise StoreDamaged(
                path=self._database.path, problem=f"{row_name(kind, row)} cannot be read"
            ) from error
        return values

    def row(self, value: object) -> dict[str, Any]:
        return row_of(value)

    def id(self, text: str | None) -> str | None:
        return text

    def ids(self, texts: Iterable[str]) -> str:
        return to_json(list(texts))

    def text(self, text: str) -> str:
        return text

    def texts(self, texts: Iterable[str]) -> str:
        return to_json(list(texts))

    def numbers(self, numbers: Iterable[int]) -> str:
        return to_json(list(numbers))

    def fact(self, name: str) -> Any:
        known_facts = self._database.snapshot
        if known_facts is None:
            return super().fact(name)
        if name not in known_facts:
            known_facts[name] = super().fact(name)
        return known_facts[name]

    def _with_ids(self, kind: type[T], query: str, ids: Sequence[str]) -> list[T]:
        return super()._with_ids(kind, query, ids) if ids else []
