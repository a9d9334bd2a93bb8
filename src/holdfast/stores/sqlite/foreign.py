"""The rows of a store that somebody else may have made, as drafts: what was said, and nothing of its standing."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from holdfast.errors import NotAStore
from holdfast.model.kinds import IMPORTED
from holdfast.model.limits import NAME_CHARS
from holdfast.model.requests import Draft
from holdfast.stores.sqlite.hardened import HardenedReader, hardened

if TYPE_CHECKING:
    from holdfast.stores.sqlite.connection import Value

MOST_ROWS = 100_000
"""Rows that are taken from a file that anybody may have made."""

MARK = "untrusted:"
"""Put before the source that a row claims."""

_TEXTS = ("content", "title", "context", "kind", "tags", "files", "sources", "metadata")
_NUMBERS = ("importance", "confidence", "created_at", "expires", "valid_until")
_LONGEST = 1_048_576
"""Longer texts are not read; what may be kept is far shorter."""


@dataclass(frozen=True, slots=True)
class RejectedRow:
    """A row that is not taken, and why."""

    reason: str


def read_drafts(path: Path) -> Iterator[Draft | RejectedRow]:
    """Hand out what each row of the memory table says, as an import; the file is not touched."""
    with hardened(path) as reader:
        if reader.one("PRAGMA encoding") != "UTF-8":
            raise NotAStore(path=path, problem="its text is not UTF-8")
        columns = reader.columns("memory")
        if columns is None or "content" not in columns:
            raise NotAStore(path=path, problem="it has no memories")
        for number, row in enumerate(_rows(reader, columns)):
            if number >= MOST_ROWS:
                yield RejectedRow(f"beyond the first {MOST_ROWS:,}")
                continue
            yield _draft(row)


def _rows(reader: HardenedReader, columns: list[str]) -> Iterator[dict[str, "Value"]]:
    """Scan the table itself: an index is the maker's and may lie. Texts come as bytes, to be decoded with care."""
    names = [name for name in (*_TEXTS, *_NUMBERS) if name in columns]
    expressions = ", ".join(_expression(name) for name in names)
    for row in reader.each(f"SELECT {expressions} FROM main.memory NOT INDEXED"):
        yield dict(zip(names, row, strict=True))


def _expression(name: str) -> str:
    if name in _NUMBERS:
        return f"iif(typeof(\"{name}\") IN ('integer', 'real'), \"{name}\", NULL)"
    return f'iif(octet_length("{name}") <= {_LONGEST}, CAST("{name}" AS BLOB), NULL)'


def _draft(row: dict[str, "Value"]) -> Draft | RejectedRow:
    if row.get("valid_until") is not None:
        return RejectedRow("superseded there")
    try:
        texts = {name: _text(row.get(name)) for name in _TEXTS}
        metadata = json.loads(texts["metadata"] or "{}")
        tags, files, sources = (_names(texts[name]) for name in ("tags", "files", "sources"))
    except (ValueError, RecursionError):
        return RejectedRow("unreadable")
    if texts["content"] is None:
        return RejectedRow("too long, or without text")
    source = MARK + (sources[0] if sources else "unknown")
    return Draft(
        content=texts["content"],
        kind=texts["kind"],
        title=texts["title"] or None,
        context=texts["context"],
        tags=tags,
        files=files,
        importance=cast("float | None", row.get("importance")),
        confidence=cast(float, row.get("confidence", 1.0)),
        source=source[:NAME_CHARS],
        trust=IMPORTED,
        metadata=metadata,
        at=_moment(row.get("created_at")),
        expires=_moment(row.get("expires")),
    )


def _text(value: "Value") -> str | None:
    return value.decode(errors="replace") if isinstance(value, bytes) else None


def _names(text: str | None) -> tuple[str, ...]:
    values = json.loads(text or "[]")
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ValueError("not a list of names")
    return tuple(values)


def _moment(value: "Value") -> int | None:
    return int(value) if isinstance(value, int | float) else None
