"""A search and a brief with their reasons: the parts of each score in words, what each tier of a brief used, and
what was left out and why.

Neither leaves a trace: the search is made as somebody types, and nobody is told the brief.
"""

import time
from collections.abc import Mapping

from msgspec import Struct

from holdfast.model.brief import BriefItem
from holdfast.model.plain import filled
from holdfast.model.requests import SearchRequest
from holdfast.model.search import Hit
from holdfast.recall.brief.account import REASONS, LeftOut
from holdfast.service.briefs import PreviewedBrief
from holdfast.service.scopes import Scopes
from holdfast.service.search import Searcher
from holdfast.service.views.lines import titles_of
from holdfast.text.words import terms_of

MOST_LEFT_OUT = 50

ADDING = {
    "keyword": "the words of the question, the rarer the more",
    "vector": "what it means, as near as its vector is",
    "complete": "it holds every word of the question",
    "neighbours": "the turns just before and after it",
    "session": "the session it stands in",
    "speaker": "the question names who said it",
    "date": "the question names when it was said",
    "person": "a person said it",
    "outdated": "what it loses to something newer",
}
"""The parts that add up to a score."""

BESIDE = {
    "coverage": "the share of the question's words that it holds",
    "cosine": "how near its meaning is, from 0 to 1",
    "turns": "how many turns of it match",
    "rerank": "what a second look says",
}
"""What explains the parts."""

ENCODER = "the model that compared meanings"
"""What any other name is."""


class ScorePart(Struct, frozen=True, kw_only=True):
    """A part of a score."""

    name: str
    value: float
    adds: bool
    """Whether it is one of those that add up to the score; the others explain it."""
    says: str


class ExplainedHit(Struct, frozen=True, kw_only=True):
    """A hit with the parts of its score."""

    hit: Hit
    short: str
    parts: tuple[ScorePart, ...]


class SearchPage(Struct, frozen=True, kw_only=True):
    """The hits of a search."""

    hits: tuple[ExplainedHit, ...]
    took_ms: int
    terms: tuple[str, ...]


def search_page(searcher: Searcher, request: SearchRequest) -> SearchPage:
    """Search, and say why what was found stands where it does."""
    started_at = time.monotonic()
    hits = searcher.glance(request) if request.query.strip() else []
    return SearchPage(
        hits=tuple(ExplainedHit(hit=hit, short=hit.id[-8:], parts=parts_of(hit)) for hit in hits),
        took_ms=round((time.monotonic() - started_at) * 1000),
        terms=tuple(term.word for term in terms_of(request.query)),
    )


def parts_of(hit: Hit) -> tuple[ScorePart, ...]:
    """Return the parts of a hit's score, those that add up first, the largest first."""
    parts = [
        ScorePart(name=name, value=value, adds=name in ADDING, says=ADDING.get(name) or BESIDE.get(name, ENCODER))
        for name, value in hit.why.items()
    ]
    return tuple(sorted(parts, key=lambda part: (not part.adds, -part.value)))


class TierUse(Struct, frozen=True, kw_only=True):
    """What a tier was allowed, and what it used; what it leaves goes to the next."""

    tier: str
    share: int
    used: int
    entries: int


class PreviewEntry(Struct, frozen=True, kw_only=True):
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


class PreviewLeftOut(Struct, frozen=True, kw_only=True):
    """Something that is not told, and why."""

    id: str
    kind: str
    title: str
    score: float
    why: Mapping[str, float]
    reason: str
    says: str


class PreviewConflict(Struct, frozen=True, kw_only=True):
    """A conflict that the agent is told of."""

    id: str
    marker: str


class BriefPreview(Struct, frozen=True, kw_only=True):
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
    return filled(
        BriefPreview,
        brief,
        tiers=_tiers(preview),
        entries=tuple(_entry(item, preview, titles) for item in brief.items),
        left_out=tuple(_left_out(entry, titles) for entry in shown_entries),
        left_out_more=len(left_out) - len(shown_entries),
        conflicts=tuple(filled(PreviewConflict, conflict) for conflict in brief.conflicts),
    )


def _tiers(preview: PreviewedBrief) -> tuple[TierUse, ...]:
    if preview.made_brief is None:
        return ()
    fillings = preview.made_brief.filled
    return tuple(
        TierUse(
            tier=tier,
            share=share,
            used=fillings.tiers.get(tier, 0),
            entries=sum(item.tier == tier for item in fillings.items),
        )
        for tier, share in preview.made_brief.shares.items()
    )


def _entry(item: BriefItem, preview: PreviewedBrief, titles: Mapping[str, str]) -> PreviewEntry:
    uses = preview.made_brief.filled.uses if preview.made_brief else {}
    tokens, is_short = uses.get(item.id, (0, False))
    return filled(PreviewEntry, item, title=titles.get(item.id, ""), tokens=tokens, shortened=is_short)


def _left_out(entry: LeftOut, titles: Mapping[str, str]) -> PreviewLeftOut:
    item = entry.item
    return filled(
        PreviewLeftOut, item, title=titles.get(item.id, ""), reason=entry.reason, says=REASONS[entry.reason]
    )
