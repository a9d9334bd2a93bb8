"""Rows of SQLite to values and back: lists and objects are JSON, and every row that matters is sealed. Light.

A row is sealed when it is written, and its seal is checked when it is read: reading raises one of
`seals.UNREADABLE` for a row that is not as it was written.
"""

import json
from functools import partial

from holdfast.model.finding import Finding
from holdfast.model.inbox import Proposal
from holdfast.model.memory import Conflict, Memory
from holdfast.model.session import Session, Turn
from holdfast.model.type_hints import TYPE_CHECKING
from holdfast.stores.analyser import identifiers
from holdfast.stores.sql.shapes import SHAPES, columns_of, value_from
from holdfast.stores.sql.tables import Tables
from holdfast.stores.sqlite.seals import Seal, readable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, TypeVar

    from holdfast.stores.sql.tables import Row
    from holdfast.stores.sqlite.connection import Database, Value

    T = TypeVar("T")


def _seal(kind: type, *counted: str) -> Seal:
    """Seal the rows of a kind of value, but for what SQL counts in place."""
    return Seal(SHAPES[kind].fields, counted)


SEALS: "Mapping[type, Seal]" = {
    Session: _seal(Session, "last_turn_at", "tool_calls", "turns", "heard_at"),
    Memory: _seal(Memory, "accessed_at", "reads", "fades"),
    Turn: _seal(Turn),
    Finding: _seal(Finding),  # with its evidence
    Conflict: _seal(Conflict),
    Proposal: _seal(Proposal),
}
"""How the rows of each kind of value are sealed; those that others refer to first."""

ALIAS_SEAL = Seal(("word", "meaning"))

_JSON = {
    kind: (*shape.lists, *shape.objects, *(name for name, _ in shape.parts)) for kind, shape in SHAPES.items()
}
"""The columns of each kind of value that are JSON."""

SCRUB_PENDING = "scrub_pending"
"""Under which name a store remembers that deleted text waits to be driven out of its files."""

to_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
"""Write a list or an object as a column. Made once: json.dumps would make the encoder anew at every call."""


def value_of(kind: "type[T]", row: "Row") -> "T":
    """Read a value; the seal of a row comes last."""
    seal = SEALS.get(kind)
    if seal:
        seal.check(row)
    columns = dict(zip(SHAPES[kind].fields, row, strict=False))  # its seal has been read
    for name in _JSON[kind]:
        text = columns[name]
        columns[name] = () if text == "[]" else {} if text == "{}" else json.loads(text)  # most are empty
    return value_from(kind, columns)


def numbered_value(kind: "type[T]", row: "Row") -> "tuple[int, T]":
    """Read a value with the number of its row before it."""
    return row[0], value_of(kind, row[1:])


def row_of(value: object) -> "dict[str, Any]":
    """Write a value, with its seal and the identifier parts that its index holds."""
    row = columns_of(value)
    for name in _JSON[type(value)]:
        row[name] = to_json(row[name])
    if isinstance(value, Memory):
        row["identifiers"] = identifiers(value.title, value.content, value.context, " ".join(value.files))
    elif isinstance(value, Turn):
        row["identifiers"] = identifiers(value.text, " ".join(value.files))
    seal = SEALS.get(type(value))
    if seal:
        row["seal"] = seal.of_row(row)
    return row


def evidence_rows(finding: Finding) -> "list[Mapping[str, Value]]":
    """Write where a finding was said: evidence has rows of its own."""
    return [
        {"id": finding.id, "place": place, "turn": evidence.turn, "start": evidence.start, "stop": evidence.end}
        for place, evidence in enumerate(finding.evidence)
    ]


def alias_of(row: "Row") -> tuple[str, str]:
    """Read a word and what else it is called."""
    ALIAS_SEAL.check(row)
    return row[0], row[1]


def alias_row(word: str, meaning: str) -> "dict[str, Value]":
    """Write a word and what else it is called."""
    return {"word": word, "meaning": meaning, "seal": ALIAS_SEAL.of((word, meaning))}


class SqliteTables(Tables):
    """`sql.Tables` on SQLite: a list is a parameter as JSON, and any text can be looked for."""

    def __init__(self, database: "Database") -> None:
        super().__init__(database)
        self._database = database

    def values(self, kind: "type[T]", rows: "Sequence[Row]") -> "list[T]":
        return readable(self._database, SHAPES[kind].table, partial(value_of, kind), rows)

    def numbered(self, kind: "type[T]", rows: "Sequence[Row]") -> "list[tuple[int, T]]":
        return readable(self._database, SHAPES[kind].table, partial(numbered_value, kind), rows)

    def row(self, value: object) -> "dict[str, Any]":
        return row_of(value)

    def id(self, text: str | None) -> str | None:
        return text

    def ids(self, texts: "Iterable[str]") -> str:
        return to_json(list(texts))

    def text(self, text: str) -> str:
        return text

    def texts(self, texts: "Iterable[str]") -> str:
        return to_json(list(texts))

    def numbers(self, numbers: "Iterable[int]") -> str:
        return to_json(list(numbers))

    def fact(self, name: str) -> "Any":
        known_facts = self._database.snapshot
        if known_facts is None:
            return super().fact(name)
        if name not in known_facts:
            known_facts[name] = super().fact(name)
        return known_facts[name]

    def _with_ids(self, kind: "type[T]", query: str, ids: "Sequence[str]") -> "list[T]":
        return super()._with_ids(kind, query, ids) if ids else []
