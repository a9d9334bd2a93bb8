"""Which columns make which value, in the order of the `*_columns` fragments in the queries. Light."""

from holdfast.model.brief import Latency, Receipt, ReceiptItem
from holdfast.model.finding import Evidence, Finding
from holdfast.model.inbox import Proposal
from holdfast.model.memory import Conflict, Memory
from holdfast.model.records import Access, Event
from holdfast.model.search import TurnPlace
from holdfast.model.session import Session, Turn

TYPE_CHECKING = False  # typing's own, without importing typing: hooks share this module
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, TypeVar

    T = TypeVar("T")


class Shape:
    """The fields of a value that are columns of its rows, and which of them are more than a number or a text.

    No `Value`: to compile its constructor would take a new process half a millisecond.
    """

    def __init__(
        self,
        table: str,
        fields: "tuple[str, ...]",
        lists: "tuple[str, ...]" = (),
        objects: "tuple[str, ...]" = (),
        reals: "tuple[str, ...]" = (),
        flags: "tuple[str, ...]" = (),
        parts: "tuple[tuple[str, type], ...]" = (),
    ) -> None:
        self.table = table
        """What a row is called."""
        self.fields = fields
        self.lists = lists
        """Lists of texts."""
        self.objects = objects
        self.reals = reals
        """Floats, also where a caller gave a whole number."""
        self.flags = flags
        """True or false, which a backend may keep as 1 or 0."""
        self.parts = parts
        """Lists of values that have no rows of their own: each is the list of its fields."""


SHAPES: "Mapping[type, Shape]" = {
    Memory: Shape(
        "memory",
        (
            "id", "project", "tenant", "user", "kind", "title", "content", "context", "tags", "files",
            "file_hashes", "importance", "confidence", "status", "trust", "sources", "session", "agent", "branch",
            "commit", "created_at", "updated_at", "renewed_at", "accessed_at", "reads", "valid_from",
            "valid_until", "superseded_by", "expires", "fingerprint", "metadata", "kind_confidence", "fades",
        ),
        lists=("tags", "files", "sources"),
        objects=("file_hashes", "metadata"),
        reals=("importance", "confidence", "kind_confidence"),
    ),
    Session: Shape(
        "session",
        (
            "id", "project", "tenant", "user", "agent", "status", "ref", "parent", "started_at", "ended_at",
            "last_turn_at", "summary", "tool_calls", "turns", "private_depth", "read_to", "turns_read",
            "forked_at", "heard_at",
        ),
    ),
    Turn: Shape("turn", ("id", "session", "role", "text", "at", "ref", "tool", "files"), lists=("files",)),
    TurnPlace: Shape("turn", ("id", "session", "role", "at", "before", "after", "said"), flags=("said",)),
    Finding: Shape(
        "finding",
        (
            "id", "session", "kind", "content", "fingerprint", "evidence", "importance", "confidence", "signals",
            "files", "created_at", "memory",
        ),
        lists=("signals", "files"),
        reals=("importance", "confidence"),
        parts=(("evidence", Evidence),),
    ),
    Evidence: Shape("evidence", ("turn", "start", "end")),
    Conflict: Shape("conflict", ("id", "first", "second", "kind", "detected_at", "resolved_at", "kept")),
    Proposal: Shape(
        "proposal",
        (
            "id", "verb", "memory", "other", "arguments", "actor", "agent", "at", "why", "settled_at", "outcome",
            "seen",
        ),
        objects=("arguments", "seen"),
    ),
    Event: Shape(
        "event", ("action", "actor", "at", "ids", "detail"), lists=("ids",), objects=("detail",)
    ),
    Access: Shape("access", ("memory", "action", "at", "score", "query")),
    Receipt: Shape(
        "receipt",
        (
            "id", "at", "agent", "session", "prompted", "budget", "tokens", "took_ms", "cut", "degraded", "items",
        ),
        flags=("prompted", "cut", "degraded"),
        parts=(("items", ReceiptItem),),
    ),
    ReceiptItem: Shape("item", ("id", "kind", "tier", "score", "why"), objects=("why",)),
    Latency: Shape("receipt", ("took_ms", "cut", "degraded"), flags=("cut", "degraded")),
}  # fmt: skip


def value_from(kind: "type[T]", columns: "dict[str, Any]") -> "T":
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


def columns_of(value: object) -> "dict[str, Any]":
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


def _fields_of(parts: "Iterable[object]") -> "list[list[Any]]":
    return [list(columns_of(part).values()) for part in parts]
