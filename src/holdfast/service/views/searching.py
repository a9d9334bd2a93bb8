"""Searching as one types: the same search as everywhere, its parts in words, and no trace of it in the log."""

import time

from holdfast.model.search import Hit, Query
from holdfast.model.value import Value
from holdfast.service.search import Searcher
from holdfast.text.terms import terms_of

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


class ScorePart(Value, kw_only=True):
    """A part of a score."""

    name: str
    value: float
    adds: bool
    """Whether it is one of those that add up to the score; the others explain it."""
    says: str


class ExplainedHit(Value, kw_only=True):
    """A hit with the parts of its score."""

    hit: Hit
    short: str
    parts: tuple[ScorePart, ...]


class SearchPage(Value, kw_only=True):
    """What was found."""

    hits: tuple[ExplainedHit, ...]
    took_ms: int
    terms: tuple[str, ...]


def search_page(searching: Searcher, query: Query, now: int) -> SearchPage:
    """Search, and say why what was found stands where it does."""
    started_at = time.monotonic()
    hits = searching.glance(query, now) if query.text.strip() else []
    return SearchPage(
        hits=tuple(ExplainedHit(hit=hit, short=hit.id[-8:], parts=parts_of(hit)) for hit in hits),
        took_ms=round((time.monotonic() - started_at) * 1000),
        terms=tuple(term.word for term in terms_of(query.text)),
    )


def parts_of(hit: Hit) -> tuple[ScorePart, ...]:
    """Return the parts of a hit's score, those that add up first, the largest first."""
    parts = [
        ScorePart(name=name, value=value, adds=name in ADDING, says=ADDING.get(name) or BESIDE.get(name, ENCODER))
        for name, value in hit.why.items()
    ]
    return tuple(sorted(parts, key=lambda part: (not part.adds, -part.value)))
