"""What the facets of a SQL store are written over: named queries in, values out.

`SHAPES` says which columns make which value: its fields, in the order of the `*_columns` fragments in the queries.
A backend says how it writes ids, texts and lists as parameters, and how it keeps what is more than a number or a
text. Must not live here: SQL, and what anything is asked for.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, get_args, get_origin

from msgspec import Struct

from holdfast.model.brief import Latency, Receipt, ReceiptItem
from holdfast.model.finding import Evidence, Finding
from holdfast.model.inbox import Proposal
from holdfast.model.memory import Conflict, Memory
from holdfast.model.records import Access, Event
from holdfast.model.search import TurnPlace
from holdfast.model.session import Session, Turn
from holdfast.model.thread import Thread, ThreadStatement

if TYPE_CHECKING:
    from holdfast.model.search import Filters


T = TypeVar("T")


class Shape(Struct, frozen=True):
    """The fields of a value that are columns of its rows, and which of them are more than a number or a text."""

    table: str
    """What a row is called."""
    fields: tuple[str, ...]
    lists: tuple[str, ...] = ()
    """Lists of texts."""
    objects: tuple[str, ...] = ()
    reals: tuple[str, ...] = ()
    """Floats, also where a caller gave a whole number."""
    flags: tuple[str, ...] = ()
    """True or false, which a backend may keep as 1 or 0."""
    parts: tuple[tuple[str, type], ...] = ()
    """Lists of values that have no rows of their own: each is the list of its fields."""


_REAL = (float, float | None)
_FOUND_OUT = ("marker", "fetched_at")
"""Fields of values that stand in no column."""


def _shape(kind: type[Struct], table: str) -> Shape:
    types = {name: type_ for name, type_ in kind.__annotations__.items() if name not in _FOUND_OUT}
    parts = {name: get_args(type_)[0] for name, type_ in types.items() if get_origin(type_) is tuple}
    return Shape(
        table,
        fields=tuple(types),
        lists=tuple(name for name, part in parts.items() if part is str),
        objects=tuple(name for name, type_ in types.items() if get_origin(type_) is Mapping),
        reals=tuple(name for name, type_ in types.items() if type_ in _REAL),
        flags=tuple(name for name, type_ in types.items() if type_ is bool),
        parts=tuple((name, part) for name, part in parts.items() if part is not str),
    )


_TABLES: Mapping[type[Struct], str] = {
    Memory: "memory", Session: "session", Turn: "turn", TurnPlace: "turn", Finding: "finding",
    Evidence: "evidence", Conflict: "conflict", Proposal: "proposal", Event: "event", Access: "access",
    Receipt: "receipt", ReceiptItem: "item", Latency: "receipt", Thread: "thread", ThreadStatement: "statement",
}  # fmt: skip
SHAPES: Mapping[type, Shape] = {kind: _shape(kind, table) for kind, table in _TABLES.items()}


def value_from(kind: type[T], columns: dict[str, Any]) -> T:
    """Make a value of its columns by name, once a backend has made lists and objects of what it keeps them in."""
    shape = SHAPES[kind]
    for name in shape.lists:
        columns[name] = tuple(columns[name])
    for name in shape.flags:
        columns[name] = bool(columns[name])
    for name, part in shape.parts:
        fields = SHAPES[part].fields
        columns[name] = tuple(part(**dict(zip(fields, values, strict=True))) for values in columns[name])
    return kind(**columns)


def columns_of(value: object) -> dict[str, Any]:
    """Return the columns of a value by name, with lists and objects that a backend can keep its way."""
    shape = SHAPES[type(value)]
    columns: dict[str, Any] = {name: getattr(value, name) for name in shape.fields}
    for name in shape.lists:
        columns[name] = list(columns[name])
    for name in shape.objects:
        columns[name] = dict(columns[name])
    for name in shape.reals:
        columns[name] = None if columns[name] is None else float(columns[name])
    for name, _ in shape.parts:
        columns[name] = _fields_of(columns[name])
    return columns


def _fields_of(parts: Iterable[object]) -> list[list[Any]]:
    return [list(columns_of(part).values()) for part in parts]


Row = tuple[Any, ...]

Params = Mapping[str, Any]


class Connection(Protocol):
    """What runs the named queries of a backend, with parameters by name."""

    def all(self, name: str, params: Params | None = None) -> list[Row]:
        """Run a query and return its rows."""

    def many(self, name: str, rows: Iterable[Params]) -> None:
        """Run a query once for each row of parameters."""

    def reading(self) -> AbstractContextManager[None]:
        """Hold one snapshot over several reads."""


TAIL_DIGITS = 8
"""Last digits of an id by which backends can look for it."""

MOST_ENDS = 100
"""Pages of walks whose ends are remembered; a walk asks for the last one."""


class Tables(ABC):
    """The tables of one store, asked by named queries; parameters that a query does not name are passed over."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @abstractmethod
    def values(self, kind: type[T], rows: Sequence[Row]) -> list[T]:
        """Make values of rows; raise StoreDamaged for a row that does not hold one."""

    @abstractmethod
    def numbered(self, kind: type[T], rows: Sequence[Row]) -> list[tuple[int, T]]:
        """The same for rows with their numbers before them."""

    @abstractmethod
    def row(self, value: object) -> dict[str, Any]:
        """Write a value as the parameters of the query that keeps it."""

    @abstractmethod
    def id(self, text: str | None) -> Any:
        """Write an id; what can be nobody's id matches nothing."""

    @abstractmethod
    def ids(self, texts: Iterable[str]) -> Any:
        """Write several ids."""

    @abstractmethod
    def text(self, text: str) -> Any:
        """Write a text that is looked for."""

    @abstractmethod
    def texts(self, texts: Iterable[str]) -> Any:
        """Write several texts that are looked for."""

    @abstractmethod
    def numbers(self, numbers: Iterable[int]) -> Any:
        """Write several numbers."""

    def all(self, query: str, params: Params | None = None) -> list[Row]:
        """Run a query and return its rows."""
        return self._connection.all(query, params)

    def one(self, query: str, params: Params | None = None) -> Row | None:
        """Run a query and return its first row."""
        rows = self._connection.all(query, params)
        return rows[0] if rows else None

    def number(self, query: str, params: Params | None = None) -> int:
        """Return the one number that a query asks for."""
        row = self.one(query, params)
        return int(row[0]) if row else 0

    def many(self, query: str, rows: Iterable[Params]) -> None:
        """Run a query once for each row of parameters."""
        self._connection.many(query, rows)

    def put(self, query: str, values: Iterable[object]) -> None:
        """Run a query that keeps values."""
        self._connection.many(query, map(self.row, values))

    def reading(self) -> AbstractContextManager[None]:
        """Hold one snapshot over several reads."""
        return self._connection.reading()

    def fact(self, name: str) -> Any:
        """Return something that the store remembers about itself, None where it does not."""
        row = self.one("meta_get", {"key": name})
        return row[0] if row else None

    def note(self, name: str, value: object) -> None:
        """Remember something about the store."""
        self.all("meta_set", {"key": name, "value": value})

    def select(self, kind: type[T], query: str, params: Params | None = None) -> list[T]:
        """Run a query and make values of its rows."""
        return self.values(kind, self._connection.all(query, params))

    def first(self, kind: type[T], query: str, params: Params) -> T | None:
        """Return the first value that a query finds."""
        return next(iter(self.select(kind, query, params)), None)

    def in_order(self, kind: type[T], query: str, ids: Sequence[str]) -> list[T]:
        """Return the values that have these ids, in the order of the ids."""
        if not ids:
            return []
        values_by_id: dict[str, T] = {value.id: value for value in self._with_ids(kind, query, ids)}
        return [values_by_id[row_id] for row_id in ids if row_id in values_by_id]

    def ending(self, query: str, tail: str) -> list[str]:
        """Return the full ids whose hex digits end so; the query compares the last eight."""
        rows = self.all(query, {"tail": self.text(tail[-TAIL_DIGITS:])})
        return [full for (full,) in rows if full.replace("-", "").endswith(tail)]

    def filters(self, filters: "Filters") -> dict[str, Any]:
        """Write filters as the parameters of the `*_filter` fragments."""
        values = {name: getattr(filters, name) for name in filters.__struct_fields__}
        return {
            **{name: self._any_of(value) if isinstance(value, tuple) else value for name, value in values.items()},
            "file": self.text(filters.file.rstrip("/")) if filters.file else None,
            "contains": self.text(filters.contains.casefold()) if filters.contains else None,
            "session": self.id(filters.session),
            "said": filters.spoken,
        }

    def _any_of(self, texts: Sequence[str]) -> Any:
        """Write what a filter allows; None for no restriction."""
        return self.texts(texts) if texts else None

    def _with_ids(self, kind: type[T], query: str, ids: Sequence[str]) -> list[Any]:
        return self.select(kind, query, {"ids": self.ids(ids)})


class Facet:
    """A part of a store, over its tables."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables


class NamedFacet(Facet):
    """A facet whose entries a person can name by the end of their ids."""

    entries: str
    """What the names of its queries begin with."""

    def ending(self, tail: str) -> list[str]:
        """Return the full ids whose hex digits end in this tail of at least eight."""
        return self._tables.ending(f"{self.entries}_ending", tail)


class Walk:
    """A walk through a table in pages, in the order of arrival.

    It goes on from where a page ended though the last row of that page is gone since: its number is remembered.
    """

    def __init__(self, tables: Tables, query: str) -> None:
        self._tables = tables
        self._query = query
        self._ends: dict[str, int] = {}

    def page(self, kind: type[T], after: str | None, limit: int) -> list[T]:
        """Return the page after the row with this id."""
        params = {"after": self._tables.id(after), "ended": self._ends.get(after or ""), "limit": limit}
        rows = self._tables.all(self._query, params)
        page: list[Any] = self._tables.values(kind, [row[1:] for row in rows])
        if page:
            self._note(page[-1].id, rows[-1][0])
        return page

    def _note(self, row_id: str, number: int) -> None:
        """Remember where a page ended; of too many the oldest is let go."""
        self._ends.pop(row_id, None)
        self._ends[row_id] = number
        while len(self._ends) > MOST_ENDS:
            self._ends.pop(next(iter(self._ends)), None)
