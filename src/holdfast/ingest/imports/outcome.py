"""What a reader gives back: entries, and what it left out, with the reason."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from holdfast.model.ingest import Entry
from holdfast.model.limits import CONTENT_BYTES, NAME_CHARS

Tables = Callable[[Path, str], Iterator[Mapping[str, object]]]
"""Hand out the rows of one table of a SQLite file that somebody else made; raise when there is no such table."""


@dataclass(frozen=True, slots=True)
class Omission:
    """Something that is not taken, and why."""

    reason: str


EntryStream = Iterator[Entry | Omission]


def source_label(name: str) -> str:
    """Return the source that an import is kept under, so that it can be taken back as a whole."""
    return f"import:{name}"[:NAME_CHARS]


def unusable(content: str) -> Omission | None:
    """Say why a text cannot be remembered, None when it can be."""
    if not content.strip():
        return Omission("without text")
    if len(content.encode(errors="replace")) > CONTENT_BYTES:
        return Omission(f"longer than {CONTENT_BYTES:,} bytes")
    return None
