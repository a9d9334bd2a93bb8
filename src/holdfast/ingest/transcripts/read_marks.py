"""Which transcripts were read, so that a file that has not changed is not read again.

Kept in the user's data directory, one file for each store. What it says is believed while the store has the
sessions that were made of the file, and a transcript that is read twice adds nothing. It also tells the sessions
that a run began and did not finish from those that hooks record.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from holdfast.agents.transcripts import Source
from holdfast.export.formats import save
from holdfast.machine import paths

TurnCounts = Mapping[str, int]
"""The sessions that were made of a file, by ref, with the number of their turns."""

_BEGUN_MARK = "begun"
"""What stands in place of a file's stamp until all of its sessions are finished."""


@dataclass(slots=True)
class ReadMarks:
    """The transcripts that were read into one store."""

    path: Path
    _files: dict[str, tuple[str, TurnCounts]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        try:
            stored_marks = json.loads(self.path.read_text("utf-8"))
            self._files = {
                name: (str(mark), dict(turn_counts)) for name, (mark, turn_counts) in stored_marks.items()
            }
        except (OSError, ValueError, TypeError, AttributeError):
            self._files = {}

    def made_of(self, source: Source) -> TurnCounts | None:
        """Return what was made of a file, if it was read as it is now."""
        mark, turn_counts = self._files.get(source.name, ("", {}))
        return turn_counts if mark == source.stamp else None

    def begun_of(self, source: Source) -> TurnCounts:
        """Return the sessions that were begun of a file and not finished: whoever read it was interrupted."""
        mark, turn_counts = self._files.get(source.name, ("", {}))
        return turn_counts if mark == _BEGUN_MARK else {}

    def begin(self, source: Source, ref: str) -> None:
        """Write down, before anything is recorded, that a session comes of a file."""
        self._files[source.name] = (_BEGUN_MARK, {**self.begun_of(source), ref: 0})
        self.save()

    def note(self, source: Source, turn_counts: TurnCounts) -> None:
        """Remember that a file was read, and its sessions finished."""
        self._files[source.name] = (source.stamp, turn_counts)

    def save(self) -> None:
        """Write it down."""
        paths.make_private(str(self.path.parent))
        save([json.dumps(self._files)], self.path)
