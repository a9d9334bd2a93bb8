"""The line that a person is shown of what a hook did: how much the agent was told, how much was learnt. Light.

Counts only: the person may be sharing the screen. What was learnt is told once: up to when it was told is kept
beside the spool.
"""

from holdfast.interfaces.hooks import marks
from holdfast.machine import environment

TYPE_CHECKING = False  # typing's own, without importing typing
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.model.brief import BriefItem
    from holdfast.service.learnt import LearntCount

RULE_TIERS = ("always", "rules")
"""The parts of a brief that hold whatever is being worked on: what is pinned, and the standing rules."""

MEMORY_TIERS = ("bridge", "retrieval")
"""The parts that are about the work at hand. How the last session ended is neither: that opens every session."""

_OWNER, SHOWN = "sign", "shown"


def unshown_span(folder: str) -> "tuple[int, int]":
    """Return the span of which nobody was shown what was learnt in a project; to begin with, an empty one."""
    now = environment.now()
    text = marks.read(folder, _OWNER, SHOWN)
    return (int(text) if text.isdigit() else now), now


def show(folder: str, items: "Sequence[BriefItem]", learnt: "LearntCount | None", until: int) -> str:
    """Return the line for a person, and remember up to when it tells what was learnt, if it could be counted."""
    if learnt is not None:
        marks.write(folder, _OWNER, SHOWN, str(until))
    return sign_of(items, learnt)


def sign_of(items: "Sequence[BriefItem]", learnt: "LearntCount | None") -> str:
    """Return the line for a person; nothing where nothing was told and nothing learnt."""
    rules = sum(item.tier in RULE_TIERS for item in items)
    memories = sum(item.tier in MEMORY_TIERS for item in items)
    entries = [_count(rules, "rule", "rules"), _count(memories, "memory", "memories")]
    told = " and ".join(filter(None, entries))
    parts = [f"{told} told" if told else "", _learnt(learnt)]
    text = ", ".join(filter(None, parts))
    return f"holdfast: {text}" if text else ""


def _count(number: int, noun: str, plural: str) -> str:
    return f"{number} {noun if number == 1 else plural}" if number else ""


def _learnt(learnt: "LearntCount | None") -> str:
    if learnt is None or not learnt.count:
        return ""
    return f"{learnt.count}{'+' if learnt.at_least else ''} learnt"
