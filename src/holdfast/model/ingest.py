"""What came of reading something else: imports, history, files, transcripts."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What an import did, or would do; every entry is accounted for."""

    formats: tuple[str, ...]
    own: bool
    """Whether it was the user's own export, taken as it was."""
    dry_run: bool
    entries: int
    created: int
    duplicates: int
    """Said here already, by the same or by other sources."""
    known: int
    """Here already under the same id, and left as they are here."""
    superseded: int
    """Of the created ones, those that came in as history."""
    rejected: Mapping[str, int] = field(default_factory=dict)
    """How many were refused: `forgotten` here, or `private`."""
    conflicts: int = 0
    left: Mapping[str, int] = field(default_factory=dict)
    """What was not read as an entry, by reason."""
