"""Which transcripts were read, so that a file that has not changed is not read again.

Kept in the user's data directory, one file for each store. It only saves time: what it says is believed while the
store has the sessions that were made of the file, and a transcript that is read twice adds nothing.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from holdfast.export.writing import save
from holdfast.ingest.transcripts.past import Source

Made = Mapping[str, int]
"""The sessions that were made of a file, by ref, with the number of their turns."""


@dataclass(slots=True)
class Seen:
    """The transcripts that were read into one store."""

    path: Path
    _files: dict[str, tuple[str, Made]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        try:
            kept = json.loads(self.path.read_text("utf-8"))
            self._files = {name: (str(mark), dict(made)) for name, (mark, made) in kept.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            self._files = {}

    def made_of(self, source: Source) -> Made | None:
        """Return what was made of a file, if it was read as it is now."""
        mark, made = self._files.get(source.name, ("", {}))
        return made if mark == source.stamp else None

    def note(self, source: Source, made: Made) -> None:
        """Remember that a file was read."""
        self._files[source.name] = (source.stamp, made)

    def save(self) -> None:
        """Write it down."""
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        save([json.dumps(self._files)], self.path)
