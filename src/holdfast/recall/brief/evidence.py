"""Evidence: the turns of earlier sessions that settled something on what a prompt is about.

Words find turns, their sessions are weighed as a whole, and around what was found stands what was decided: an
answer follows its question. Where words find nothing that counts, meaning is asked alone. Must not live here:
which of two rules holds (`amendments`), and the other parts of a score (`weights`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from holdfast.model.kinds import TOOL_ROLES
from holdfast.model.search import Filters, Matches
from holdfast.model.session import Turn
from holdfast.model.vectors import TURN
from holdfast.ports import Store
from holdfast.recall.aliases import widely
from holdfast.recall.brief.amendments import Statement, topic_of
from holdfast.recall.brief.deciding import DECIDING, Weight, settling
from holdfast.recall.brief.looking import Search
from holdfast.recall.brief.relevance import WordWeights, relevance
from holdfast.recall.terms import terms_of

if TYPE_CHECKING:
    from holdfast.ports import Floats

POSTINGS = 1_000
"""Index entries read for one prompt: past it only its rarer words are looked for."""

POOL, NEAR = 60, 40
"""Turns taken by words and, where those say nothing, by meaning."""

SHORT = 12
"""Words up to which a prompt may share none with what answers it; a longer one shares some."""

SESSIONS = 4
ANCHORS = 3
"""Found turns of a session that are looked around."""

WINDOW, LATER_WINDOW = (4, 8), (2, 4)
"""Turns before and after one that was found that are looked at; few for an amendment, which shares its words."""

MOST_SETTLED = 2.1
"""What relevance can grow to at most: a statement that settles all (1.5), about the very file at hand (1.4)."""

OWN = 0.3
"""The part of a turn's relevance that is its own; the rest is its session's."""

CLOSING = 3
"""A session's last turns, among which the longest says how it ended."""

AROUND, AROUND_CHARS = 2, 600
LATER, LATER_WORDS, LATER_POSTINGS, LATER_SESSIONS = 12, 10, 600, 2
"""What is looked at for an amendment: turns, words, index entries, sessions."""

LATER_HELD, LATER_COSINE, LATER_SHARE = 0.4, 0.25, 0.5
"""What a later session must share with what was found, in rare words, and with the prompt, in meaning: so much,
and so much of what was found."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A turn of an earlier session, and what it has to do with a prompt."""

    turn: Turn
    relevance: float
    deciding: float
    """How much it settles."""
    order: int
    """Its place among the turns of its session."""
    around: str
    """What was said just before it."""
    closing: bool = False
    """Whether it says how its session ended."""
    cosine: float | None = None
    """How near its session comes to the prompt."""

    @property
    def settles(self) -> bool:
        """Whether it settles anything."""
        return self.deciding >= DECIDING


@dataclass(slots=True)
class _Session:
    """What is known of a session: the words its turns hold together, its nearest turn, and each turn's own
    part."""

    frequencies: list[float]
    cosine: float | None = None
    turns: dict[str, float] = field(default_factory=dict)

    def add(self, turn: str, frequencies: Sequence[float], cosine: float | None, own: float) -> None:
        """Count a turn in."""
        self.frequencies = [one + other for one, other in zip(self.frequencies, frequencies, strict=True)]
        if cosine is not None:
            self.cosine = cosine if self.cosine is None else max(self.cosine, cosine)
        self.turns[turn] = own


def find_evidence(search: Search, store: Store) -> list[Evidence]:
    """Return what was said around what a prompt is about, in its most relevant sessions."""
    vector, limit = search.vector, min(POOL, search.most)
    matches = widely(
        lambda terms: store.turns.match(terms, Filters(said=True), limit, POSTINGS), search.terms, search.aliases
    )
    weights = WordWeights.of(search.terms, [matches])
    sessions = _by_words(matches, weights, vector, store)
    best = _best(sessions, weights, search.but)
    short = len(search.terms) <= SHORT
    if vector is not None and short and all(value < search.enough for value in best.values()):
        _by_meaning(sessions, len(matches.document_frequencies), vector, store, min(NEAR, search.most))
        best = _best(sessions, weights, search.but)
    best = {session: value for session, value in best.items() if value * MOST_SETTLED >= search.enough}
    found = _around({session: sessions[session] for session in best}, best, vector, store)
    asked = " ".join(search.prompt.split())
    return [one for one in found if " ".join(one.turn.text.split()) != asked]


@dataclass(frozen=True, slots=True)
class Followed:
    """Something found whose later amendments are looked for."""

    statement: Statement
    relevance: float
    cosine: float | None = None
    """How near it comes to the prompt."""


def find_later(followed: Followed, store: Store, but: Iterable[str], vector: "Floats | None") -> list[Evidence]:
    """Return what later sessions said about what a statement is about: they may amend it.

    They need not share the prompt's words, but must be about what it is about.
    """
    one = followed.statement
    near = max(LATER_COSINE, LATER_SHARE * (followed.cosine or 0.0))
    telling = topic_of(one.text)
    terms = sorted((term for term in terms_of(one.text) if term.stem in telling), key=lambda term: -len(term.stem))
    if not terms:
        return []
    terms = terms[:LATER_WORDS]
    matches = store.turns.match(terms, Filters(said=True, since=one.at + 1), LATER, LATER_POSTINGS)
    weights = WordWeights.of(terms, [matches])
    excluded = frozenset(but)
    sessions = {
        session: found
        for session, found in _by_words(matches, weights, vector, store).items()
        if session not in excluded
        and weights.held(found.frequencies) >= LATER_HELD
        and (found.cosine is None or found.cosine >= near)
    }
    kept = sorted(sessions, key=lambda session: -weights.held(sessions[session].frequencies))[:LATER_SESSIONS]
    rated = dict.fromkeys(kept, followed.relevance)
    return _around({session: sessions[session] for session in kept}, rated, vector, store, LATER_WINDOW)


def _by_words(
    matches: Matches, weights: WordWeights, vector: "Floats | None", store: Store
) -> dict[str, _Session]:
    ids = [candidate.id for candidate in matches.candidates]
    cosines = store.vectors.cosines(TURN, vector, ids) if vector is not None else {}
    homes = {place.id: place.session for place in store.turns.places(ids)}
    sessions: dict[str, _Session] = {}
    for candidate in matches.candidates:
        cosine = cosines.get(candidate.id)
        found = sessions.setdefault(homes[candidate.id], _Session([0.0] * len(candidate.frequencies)))
        own = relevance(weights.held(candidate.frequencies), cosine)
        found.add(candidate.id, candidate.frequencies, cosine, own)
    return sessions


def _by_meaning(sessions: dict[str, _Session], terms: int, vector: "Floats", store: Store, limit: int) -> None:
    near = {one.id: one.cosine for one in store.vectors.nearest(TURN, vector, Filters(), limit)}
    silent = [0.0] * terms
    for place in store.turns.places(list(near)):
        found = sessions.setdefault(place.session, _Session(list(silent)))
        if place.id not in found.turns and place.role.lower() not in TOOL_ROLES:
            found.add(place.id, silent, near[place.id], relevance(0.0, near[place.id]))


def _best(sessions: dict[str, _Session], weights: WordWeights, but: frozenset[str]) -> dict[str, float]:
    rated = {
        session: relevance(weights.held(found.frequencies), found.cosine)
        for session, found in sessions.items()
        if session not in but and found.turns
    }
    return dict(sorted(rated.items(), key=lambda pair: -pair[1])[:SESSIONS])


def _around(
    sessions: dict[str, _Session],
    rated: dict[str, float],
    vector: "Floats | None",
    store: Store,
    window: tuple[int, int] = WINDOW,
) -> list[Evidence]:
    """Look around what was found, and weigh what stands there."""
    anchors = store.turns.last(list(sessions), CLOSING)
    for found in sessions.values():
        anchors += sorted(found.turns, key=found.turns.__getitem__, reverse=True)[:ANCHORS]
    passages: dict[str, list[Turn]] = {}
    for turn in store.turns.around(anchors, *window):
        if turn.tool is None and turn.role.lower() not in TOOL_ROLES:
            passages.setdefault(turn.session, []).append(turn)
    _rate_beside(sessions, passages, vector, store)
    return [
        one
        for session, passage in passages.items()
        for one in _weighed(passage, sessions[session], rated[session])
    ]


def _rate_beside(
    sessions: dict[str, _Session], passages: dict[str, list[Turn]], vector: "Floats | None", store: Store
) -> None:
    """Find out how near those are that words did not find."""
    if vector is None:
        return
    beside = [
        turn for passage in passages.values() for turn in passage if turn.id not in sessions[turn.session].turns
    ]
    cosines = store.vectors.cosines(TURN, vector, [turn.id for turn in beside])
    for turn in beside:
        if turn.id in cosines:
            sessions[turn.session].turns[turn.id] = relevance(0.0, cosines[turn.id])


def _weighed(passage: Sequence[Turn], found: _Session, value: float) -> list[Evidence]:
    most = max(found.turns.values(), default=0.0) or 1.0
    judged = settling(passage)
    closing = _closing(passage, judged)
    evidence = []
    for place, (turn, weight) in enumerate(zip(passage, judged, strict=True)):
        near = found.turns.get(turn.id, 0.0) / most
        around = "\n".join(before.text[:AROUND_CHARS] for before in passage[max(0, place - AROUND) : place])
        own = round(value * (1 - OWN + OWN * near), 4)
        evidence.append(Evidence(turn, own, weight.settles, place, around, turn.id == closing, found.cosine))
    return evidence


def _closing(passage: Sequence[Turn], judged: Sequence[Weight]) -> str | None:
    """Return the longest of the last turns, which says how a session ended; not what was only asked or turned
    down."""
    last = [
        turn
        for turn, weight in list(zip(passage, judged, strict=True))[-CLOSING:]
        if not weight.refused and not turn.text.rstrip().endswith("?")
    ]
    return max(last, key=lambda turn: len(turn.text)).id if last else None
