"""Whether a prompt sounds as if it should be noted: a lasting statement, or a correction.

For whoever tells the running agent, which has read the talk, to note it: cheap enough for every prompt, and right
more often than not is enough, because the agent decides. A prompt is taken as one amid a session.
"""

from holdfast.capture.findings.acts import Act
from holdfast.capture.findings.lasting import points
from holdfast.capture.findings.statements import may_last, sayings
from holdfast.model.session import Turn
from holdfast.model.value import replace

SOUNDS = 6
"""Points from which on a sentence is worth a look by somebody who understands it."""


def sounds_lasting(prompt: str, answered: str = "") -> bool:
    """Say whether a person's prompt holds something that may last; `answered` is what the agent said before it."""
    before = [Act(_turn("assistant", answered))] if answered.strip() else []
    said = sayings(Act(_turn("user", prompt)), before)
    amid = [replace(one, moment=replace(one.moment, opens=False)) for one in said]
    return any(may_last(one.reading) and points(one) >= SOUNDS for one in amid)


def _turn(role: str, text: str) -> Turn:
    return Turn(id="", session="", role=role, text=text, at=0)
