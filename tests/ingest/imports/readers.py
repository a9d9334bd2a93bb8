"""Reading a text as if it were a file, for the tests of readers."""

from collections import Counter
from collections.abc import Iterable

from holdfast.ingest.bundle import ImportLimits, Omission, Part, in_memory
from holdfast.model.ingest import Entry
from holdfast.model.requests import Draft


def a_part(name: str, text: str | bytes) -> Part:
    """Make a part of a text."""
    return in_memory(name, text.encode() if isinstance(text, str) else text, ImportLimits())


def entries(read: Iterable[Entry | Omission]) -> list[Entry]:
    """Return what was read."""
    return [one for one in read if isinstance(one, Entry)]


def drafts(read: Iterable[Entry | Omission]) -> list[Draft]:
    """Return what was read, without where it stood."""
    return [one.draft for one in entries(read)]


def left(read: Iterable[Entry | Omission]) -> dict[str, int]:
    """Return what was left, by reason."""
    return dict(Counter(one.reason for one in read if isinstance(one, Omission)))
