"""A brief that nobody was told: its text, what each tier used, and what was left out and why."""

from collections.abc import Mapping

from holdfast.model.brief import BriefItem
from holdfast.model.value import Value
from holdfast.recall.brief.account import REASONS, LeftOut
from holdfast.service.briefs import PreviewedBrief
from holdfast.service.scopes import Scopes
from holdfast.service.views.lines import titles_of

MOST_LEFT_OUT = 50


class TierUse(Value, kw_only=True):
    """What a tier was allowed, and what it used; what it leaves goes to the next."""

    tier: str
    share: int
    used: int
    entries: int


class PreviewEntry(Value, kw_only=True):
    """Something that is told."""

    id: str
    kind: str
    title: str
    tier: str
    score: float
    why: Mapping[str, float]
    marks: tuple[str, ...]
    tokens: int
    shortened: bool


class PreviewLeftOut(Value, kw_only=True):
    """Something that is not told, and why."""

    id: str
    kind: str
    title: str
    score: float
    why: Mapping[str, float]
    reason: str
    says: str


class PreviewConflict(Value, kw_only=True):
    """A conflict that the agent is told of."""

    id: str
    marker: str


class BriefPreview(Value, kw_only=True):
    """What an agent would be told, and why."""

    text: str
    tokens: int
    budget: int
    took_ms: int
    cut: bool
    degraded: bool
    failure: str | None
    tiers: tuple[TierUse, ...]
    entries: tuple[PreviewEntry, ...]
    left_out: tuple[PreviewLeftOut, ...]
    left_out_more: int
    conflicts: tuple[PreviewConflict, ...]


def preview_page(preview: PreviewedBrief, scopes: Scopes) -> BriefPreview:
    """Return a preview with the names of what it speaks of."""
    brief = preview.brief
    left_out = sorted(preview.account.left_out.values(), key=lambda entry: -entry.item.score)
    shown_entries = left_out[:MOST_LEFT_OUT]
    titles = titles_of(scopes, [*(item.id for item in brief.items), *(entry.item.id for entry in shown_entries)])
    return BriefPreview(
        text=brief.text,
        tokens=brief.tokens,
        budget=brief.budget,
        took_ms=brief.took_ms,
        cut=brief.cut,
        degraded=brief.degraded,
        failure=brief.failure,
        tiers=_tiers(preview),
        entries=tuple(_entry(item, preview, titles) for item in brief.items),
        left_out=tuple(_left_out(entry, titles) for entry in shown_entries),
        left_out_more=len(left_out) - len(shown_entries),
        conflicts=tuple(PreviewConflict(id=conflict.id, marker=conflict.marker) for conflict in brief.conflicts),
    )


def _tiers(preview: PreviewedBrief) -> tuple[TierUse, ...]:
    if preview.made_brief is None:
        return ()
    filled = preview.made_brief.filled
    return tuple(
        TierUse(
            tier=tier,
            share=share,
            used=filled.tiers.get(tier, 0),
            entries=sum(item.tier == tier for item in filled.items),
        )
        for tier, share in preview.made_brief.shares.items()
    )


def _entry(item: BriefItem, preview: PreviewedBrief, titles: Mapping[str, str]) -> PreviewEntry:
    uses = preview.made_brief.filled.uses if preview.made_brief else {}
    tokens, shortened = uses.get(item.id, (0, False))
    return PreviewEntry(
        id=item.id,
        kind=item.kind,
        title=titles.get(item.id, ""),
        tier=item.tier,
        score=item.score,
        why=item.why,
        marks=item.marks,
        tokens=tokens,
        shortened=shortened,
    )


def _left_out(entry: LeftOut, titles: Mapping[str, str]) -> PreviewLeftOut:
    return PreviewLeftOut(
        id=entry.item.id,
        kind=entry.item.kind,
        title=titles.get(entry.item.id, ""),
        score=entry.item.score,
        why=entry.item.why,
        reason=entry.reason,
        says=REASONS[entry.reason],
    )
