"""Whether a statement tells of trouble instead of laying something down: "the page now shows 0 results, fix it".

A complaint has the words of a change ("now", "instead of") because something did change, against its speaker's
will. Told by its shape: who complains asks for a repair, asks why, or says that something is broken.
"""

from collections.abc import Sequence

from holdfast.capture.sessions.findings import wording
from holdfast.capture.sessions.findings.lasting import revises
from holdfast.capture.sessions.findings.reading import SentenceReading, read_sentences

_REPAIR = wording.within(
    r"(?:fix|repair|debug|investigate|revert|undo|restore|look into|check|correct|sort out)"
    r" (?:it|this|that|these|those|them|the|my|our|all)(?! (?:\w+ )?(?:at|to)(?![\w-]))"
    r"|(?:please|pls|can you|could you|must be|to be|needs? to be|should be) (?:fix(?:ed)?|repair(?:ed)?)"
    r"|(?:needs?|wants?) (?:a fix|fixing|repair)|fix (?:please|pls|asap)"
)
"""An order to put something right; "fix the gate at 85" sets a value."""

_BARE_REPAIR = wording.Form(
    r"(?:^|[,;.:!–—-] ?|and |please |pls )(?:fix|repair|debug|investigate|revert|undo)\W*$"
)
_ASKS_WHY = wording.within(r"why|how come|what happened|what's wrong|what is wrong|since when|any idea|no idea")
_ASTRAY = wording.within(
    r"garbage|gibberish|nonsense|garbled|corrupt(?:ed)?|empty|blank|missing|gone wrong|by mistake|all of a sudden"
    r"|suddenly|again and again|weird\w*|strange\w*|wrong(?:ly)?|incorrect(?:ly)?|unreadable|stuck|slow(?:er)?"
)
"""What nobody wants to have; a word of the sort is a complaint only where nothing is laid down."""


def complains(text: str, following: str = "") -> bool:
    """Say whether a statement, or what its speaker says right after it, tells that something went wrong."""
    readings = read_sentences(text)
    return any(map(_demands_repair, (*readings, *read_sentences(following)[:1]))) or _reports(readings)


def _demands_repair(reading: SentenceReading) -> bool:
    return any(form.search(reading.cue) for form in (_REPAIR, _BARE_REPAIR, _ASKS_WHY))


def _reports(readings: Sequence[SentenceReading]) -> bool:
    """Say whether sentences report trouble and neither decide nor order anything."""
    lays_down = any(reading.decides or reading.imperative or reading.strong for reading in readings)
    trouble = any(form.search(reading.cue) for form in (wording.ERRORS, _ASTRAY) for reading in readings)
    return trouble and not lays_down


def states_change(text: str) -> bool:
    """Say whether a statement gives something another value, or gives it up, in so many words."""
    return any(revises(reading.cue) for reading in read_sentences(text))
