"""What of a transcript is not known yet: everything after its last message that is. Pure.

A session that hooks heard live is known by the names of its turns where the agent gives its hooks and its
transcript the same, and otherwise by their words. What hooks left out in the middle stays out: put behind what was
said after it, it would be read as the later word.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.capture.derivation import MASK
from holdfast.model.session import Turn

_LATE_MS = 60_000
"""How much later than its hook an agent may note a message. Only the words of one that was forgotten are gone."""


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
