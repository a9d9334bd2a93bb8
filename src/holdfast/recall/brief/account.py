"""What became of everything that a brief could have told: kept only where somebody asks why."""

from collections.abc import Iterable

from holdfast.model.brief import BriefItem
from holdfast.model.memory import Memory
from holdfast.model.value import Value
from holdfast.recall.brief.candidates import ScoredEntry


class LeftOut(Value, kw_only=True):
    """Something that was not told, and why."""

    item: BriefItem
    reason: str


class Account:
    """What was left out of one brief, in the order of the steps, and why."""

    BUDGET = "budget"
    IRRELEVANT = "irrelevant"
    OUTDATED = "outdated"
    WEAKER = "weaker"
    SAME_SESSION = "same_session"
    REPEATED = "repeated"

    def __init__(self) -> None:
        self.left_out: dict[str, LeftOut] = {}

    def leave(self, before: Iterable[ScoredEntry], after: Iterable[ScoredEntry], reason: str) -> None:
        """Note what a step did not let pass."""
        kept_ids = {entry.id for entry in after}
        for entry in before:
            if entry.id not in kept_ids and entry.id not in self.left_out:
                self.left_out[entry.id] = LeftOut(item=_item(entry), reason=reason)

    def leave_items(self, items: Iterable[BriefItem], reason: str) -> None:
        """Note entries that a step did not let pass."""
        for item in items:
            self.left_out.setdefault(item.id, LeftOut(item=item, reason=reason))


REASONS = {
    Account.BUDGET: "there was no room left for it",
    Account.IRRELEVANT: "it is too far from the prompt",
    Account.OUTDATED: "something newer says otherwise",
    Account.WEAKER: "others fit the prompt better",
    Account.SAME_SESSION: "enough of that session is told already",
    Account.REPEATED: "another entry says it already",
}
"""Why something was not told, in words."""


def _item(entry: ScoredEntry) -> BriefItem:
    return BriefItem(
        id=entry.id,
        kind=entry.source.kind if isinstance(entry.source, Memory) else "turn",
        tier="retrieval",
        score=round(entry.score, 4),
        why={name: round(part, 4) for name, part in entry.parts.items()},
    )
