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


def preview_page(previewed: PreviewedBrief, scopes: Scopes) -> BriefPreview:
    """Return a preview with the names of what it speaks of."""
    brief = previewed.brief
    left_out = sorted(previewed.account.left_out.values(), key=lambda left: -left.item.score)
    shown = left_out[:MOST_LEFT_OUT]
    titles = titles_of(scopes, [*(item.id for item in brief.items), *(left.item.id for left in shown)])
    return BriefPreview(
        text=brief.text,
        tokens=brief.tokens,
        budget=brief.budget,
        took_ms=brief.took_ms,
        cut=brief.cut,
        degraded=brief.degraded,
        failure=brief.failure,
        tiers=_tiers(previewed),
        entries=tuple(_entry(item, previewed, titles) for item in brief.items),
        left_out=tuple(_left_out(left, titles) for left in shown),
        left_out_more=len(left_out) - len(shown),
        conflicts=tuple(PreviewConflict(id=conflict.id, marker=conflict.marker) for conflict in brief.conflicts),
    )


def _tiers(previewed: PreviewedBrief) -> tuple[TierUse, ...]:
    if previewed.made_brief is None:
        return ()
    filled = previewed.made_brief.filled
    return tuple(
        TierUse(
            tier=tier,
            share=share,
            used=filled.tiers.get(tier, 0),
            entries=sum(item.tier == tier for item in filled.items),
        )
        for tier, share in previewed.made_brief.shares.items()
    )


def _entry(item: BriefItem, previewed: PreviewedBrief, titles: Mapping[str, str]) -> PreviewEntry:
    uses = previewed.made_brief.filled.uses if previewed.made_brief else {}
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


def _left_out(left: LeftOut, titles: Mapping[str, str]) -> PreviewLeftOut:
    return PreviewLeftOut(
        id=left.item.id,
        kind=left.item.kind,
        title=titles.get(left.item.id, ""),
        score=left.item.score,
        why=left.item.why,
        reason=left.reason,
        says=REASONS[left.reason],
    )
