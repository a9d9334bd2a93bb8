"""Two memories that cannot both hold, and the line that says so."""

from holdfast.model.limits import TITLE_CHARS
from holdfast.model.memory import Memory
from holdfast.model.title import shorten
from holdfast.model.value import Value

CONTRADICTORY, SUPERSEDED, AMBIGUOUS = CONFLICT_KINDS = ("contradictory", "superseded", "ambiguous")
"""Opposed; a revision that was not entitled to take the other's place; opposed under another condition."""

BOTH = "both"
"""What is kept when both sides hold after all."""


class Conflict(Value, kw_only=True):
    """A pair of memories that disagree, until a person says which holds."""

    id: str
    first: str
    """The memory that was there."""
    second: str
    """The memory that was said later."""
    kind: str
    detected_at: int
    resolved_at: int | None = None
    kept: str | None = None
    """What a person decided: one of the two ids, or `both`."""
    marker: str = ""
    """The line to show, with short ids; filled in by whoever lists conflicts, never stored."""


def marker(first: Memory, first_short: str, second: Memory, second_short: str) -> str:
    """Return the line that shows a conflict wherever one of its sides is shown."""
    says_first, says_second = shorten(first.content, TITLE_CHARS), shorten(second.content, TITLE_CHARS)
    return (
        f'[⚠ CONFLICT] Entry #{first_short} says "{says_first}" but Entry #{second_short} says "{says_second}". '
        "Verify which is current."
    )
