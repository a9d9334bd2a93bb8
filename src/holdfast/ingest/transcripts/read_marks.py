"""What of the transcripts is known already: which were read, and what of one is new.

Which were read is kept in the user's data directory, one file for each store. What it says is believed while the
store has the sessions that were made of the file, and a transcript that is read twice adds nothing. It also tells
the sessions that a run began and did not finish from those that hooks record.

A session that hooks heard live is known by the names of its turns where the agent gives its hooks and its
transcript the same, and otherwise by their words. New is everything after its last message that is known. What
hooks left out in the middle stays out: put behind what was said after it, it would be read as the later word.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from holdfast.agents.transcripts import Source
from holdfast.capture.derivation import MASK
from holdfast.export.formats import save
from holdfast.machine import paths
from holdfast.model.session import Turn

TurnCounts = Mapping[str, int]
"""The sessions that were made of a file, by ref, with the number of their turns."""

_BEGUN_MARK = "begun"
"""What stands in place of a file's stamp until all of its sessions are finished."""

_LATE_MS = 60_000
"""How much later than its hook an agent may note a message. Only the words of one that was forgotten are gone."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptMessage:
    """One message of a transcript as it would be kept."""

    role: str
    text: str
    ref: str
    at: int
    tool: str | None = None
    files: tuple[str, ...] = ()


def unheard(messages: Sequence[TranscriptMessage], turns: Sequence[Turn]) -> list[TranscriptMessage]:
    """Return the messages after the last one that is among a session's turns."""
    refs, message_refs = {turn.ref for turn in turns}, {message.ref for message in messages}
    words = Counter(_words(turn.role, turn.text) for turn in turns if turn.ref not in message_refs)
    masked_counts = Counter(turn.role for turn in turns if MASK in turn.text)
    latest = max((turn.at for turn in turns), default=0)
    last = -1
    for place, message in enumerate(messages):
        wording = _words(message.role, message.text)
        if message.ref in refs or message.at < latest:
            last = place
        elif words[wording] > 0:
            words[wording] -= 1
            last = place
        elif masked_counts[message.role] > 0 and message.at < latest + _LATE_MS:
            masked_counts[message.role] -= 1
            last = place
    return list(messages[last + 1 :])


def _words(role: str, text: str) -> tuple[str, str]:
    return role, " ".join(text.split())
