"""Whether a prompt sounds as if it should be noted: a lasting statement, or a correction.

For whoever tells the running agent, which has read the talk, to note it: cheap enough for every prompt, and right
more often than not is enough, because the agent decides. A prompt is taken as one amid a session.
"""

from holdfast.capture.sessions.findings.acts import Act
from holdfast.capture.sessions.findings.lasting import points
from holdfast.capture.sessions.findings.statements import may_last, remarks_of
from holdfast.capture.sessions.findings.wording import within
from holdfast.model.session import Turn
from holdfast.model.value import replace

_MEMORY_REQUESTS = within(
    "remember", "from now on", "keep (?:that|this|it )?in mind", "don'?t forget", "for the record", "note that"
)
"""Words with which a person asks for something to be remembered; `lasting` tells what they mean."""

SOUNDS = 6
"""Points from which on a sentence is worth a look by somebody who understands it."""


def sounds_lasting(prompt: str, answer: str = "") -> bool:
    """Say whether a person's prompt holds something that may last; `answer` is what the agent said before it."""
    before = [Act(_turn("assistant", answer))] if answer.strip() else []
    remarks = remarks_of(Act(_turn("user", prompt)), before)
    amid = [replace(remark, moment=replace(remark.moment, opens=False)) for remark in remarks]
    return any(may_last(remark.reading) and points(remark) >= SOUNDS for remark in amid)


def asks_to_remember(prompt: str) -> bool:
    """Say whether words that ask for memory stand in a prompt: worth reading it at once, no more."""
    return _MEMORY_REQUESTS.search(prompt.lower()) is not None


def _turn(role: str, text: str) -> Turn:
    return Turn(id="", session="", role=role, text=text, at=0)
