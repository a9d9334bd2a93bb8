"""Evidence: what was said in earlier sessions on what a prompt is about, where nobody made a memory of it.

Two ways lead to it. A person's own sentence is about the prompt: it is told by itself. Or a session as a whole is:
then what it settled is told, the person's word first and an agent's only where the person took it. Tools are never
evidence. Must not live here: which of two rules holds (`candidates`, `amendments`), and the other parts of a score
(`weights`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from holdfast.model.kinds import PERSON_ROLES, TOOL_ROLES
from holdfast.model.search import Filters, Matches, Term, TurnPlace
from holdfast.model.session import Turn
from holdfast.model.vectors import TURN
from holdfast.recall.brief.amendments import SettledStatement, topic_of
from holdfast.recall.brief.relevance import WORK, Floors, WordWeights, cosines_of, talk_relevance, vector_for
from holdfast.recall.brief.settling import DECIDING, Weight, passage, settling, statement, statements
from holdfast.recall.stand_ins import widely
from holdfast.text.words import terms_of

if TYPE_CHECKING:
    from holdfast.ports import Store, Vector

POSTINGS = 1_000
"""Index entries read for one prompt: past it only its rarer words are looked for."""

POOL = 60
"""Turns taken by words."""

NEAREST_TURNS = 120
"""Turns taken by meaning; half of them are tools' and fall away."""

OWN_TURNS = 12
"""Turns of people that are read for a sentence of their own."""

SESSIONS = 2
"""Sessions that are looked at as a whole."""

ANCHORS = 3
"""Found turns of a session that are looked around."""

WINDOW = (4, 8)
"""Turns before and after one that was found that are looked at: an answer follows its question."""

LATER_WINDOW = (2, 4)
"""The same for an amendment, which shares the words of what it amends."""

OWN = 0.3
"""The part of a turn's relevance that is its own; the rest is its session's."""

MOST_SETTLED = 2.1
"""What relevance can grow to at most: a statement that settles all (1.5), about the very file at hand (1.4)."""

CLOSING = 3
"""A session's last turns, among which the longest says how it ended."""

AROUND = 2
"""Turns before one that say what it answers."""

AROUND_CHARS = 600
"""Characters of each of them."""

ENDING_CHARS = 2_200
"""What is told of how a session ended, whose words the person took as they stand."""

TOLD_CHARS = 1_200
"""What is told of one turn at most; the page shortens it further to what is about the prompt."""

LATER = 12
"""Turns looked at for an amendment."""

LATER_WORDS = 10
LATER_POSTINGS = 600
"""Words of what was found that are looked for in later sessions, and index entries read for them."""

LATER_SESSIONS = 2
"""Later sessions that are looked at as a whole."""

LATER_HELD = 0.4
"""Rare words that a later session must share with what was found to amend it."""

LATER_COSINE = 0.25
"""How near a later session must come to the prompt to amend what was found."""

LATER_SHARE = 0.5
"""How near it must come, as a share of what was found."""


class BriefSearch(Struct, frozen=True):
    """What is looked for, and how far: the same for memories and for evidence."""

    terms: Sequence[Term]
    vector: Vector | None = None
    aliases: Mapping[str, Sequence[str]] = field(default_factory=dict)
    but: frozenset[str] = frozenset()
    """Sessions that do not count: the one that asks."""
    prompt: str = ""
    """What was asked; a turn that says just that is no evidence."""
    floors: Floors = WORK
    """The relevance from which on anything is told."""
    most: int = 500


class Utterance(Struct, frozen=True):
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
    excerpt: str = ""
    """The sentences that are told; all of the turn where it settled something as a whole."""
    accepted: bool = False
    """Whether the other side took it."""

    @property
    def by_person(self) -> bool:
        """Whether a person said it, or took it over from an agent."""
        return self.accepted or self.turn.role.lower() in PERSON_ROLES

    @property
    def settles(self) -> bool:
        """Whether it settles anything."""
        return self.deciding >= DECIDING

    @property
    def text(self) -> str:
        """What is told."""
        return self.excerpt or self.turn.text


class _TurnMatch(Struct, frozen=True):
    """A turn that was found: where it stands and what it shares with the prompt."""

    place: TurnPlace
    frequencies: tuple[float, ...]
    cosine: float | None


def find_evidence(search: BriefSearch, store: Store) -> list[Utterance]:
    """Return what people said on what a prompt is about, and what the sessions about it settled."""
    search = replace(search, vector=vector_for(store, search.vector))
    vector, limit = search.vector, min(POOL, search.most)
    matches = widely(
        lambda terms: store.turns.match(terms, Filters(said=True), limit, POSTINGS), search.terms, search.aliases
    )
    weights = WordWeights.of(search.terms, [matches])
    turn_matches = _turn_matches(matches, vector, store, search.but, NEAREST_TURNS)
    prompt_text = " ".join(search.prompt.split())
    own = _own_words(turn_matches, weights, search, store)
    conclusions = _settled_in_sessions(turn_matches, weights, search, store)
    ids = {utterance.turn.id for utterance in conclusions if utterance.settles}
    own_sentences = [utterance for utterance in own if utterance.turn.id not in ids]
    ids = {utterance.turn.id for utterance in own_sentences}
    evidence = [*(utterance for utterance in conclusions if utterance.turn.id not in ids), *own_sentences]
    return [utterance for utterance in evidence if " ".join(utterance.turn.text.split()) != prompt_text]


def _turn_matches(
    matches: Matches, vector: Vector | None, store: Store, but: Collection[str], nearest: int = 0
) -> list[_TurnMatch]:
    """Return the turns that words and, as far as asked for, meaning find, but for some sessions' and tools'."""
    frequencies = {candidate.id: candidate.frequencies for candidate in matches.candidates}
    silent = (0.0,) * len(matches.document_frequencies)
    cosines = cosines_of(TURN, vector, store, Filters(), nearest, list(frequencies))
    ids = list(dict.fromkeys((*frequencies, *cosines)))
    return [
        _TurnMatch(place, frequencies.get(place.id, silent), cosines.get(place.id))
        for place in store.turns.places(ids)
        if place.role.lower() not in TOOL_ROLES and place.session not in but
    ]


def _own_words(
    turn_matches: Sequence[_TurnMatch], weights: WordWeights, search: BriefSearch, store: Store
) -> list[Utterance]:
    """Return the sentences of people that are about the prompt themselves."""
    relevance_by_turn = {
        turn_match.place.id: talk_relevance(weights.held(turn_match.frequencies), turn_match.cosine)
        for turn_match in turn_matches
        if turn_match.place.role.lower() in PERSON_ROLES
    }
    best = [
        turn_id
        for turn_id in sorted(relevance_by_turn, key=lambda turn: -relevance_by_turn[turn])
        if relevance_by_turn[turn_id] >= search.floors.talk
    ][:OWN_TURNS]
    shares = {term.stem: share for term, share in zip(search.terms, weights.shares, strict=True)}
    evidence = []
    for turn in store.turns.get(best):
        sentences = statements(turn.text) if turn.tool is None else []
        if sentences:
            place = max(range(len(sentences)), key=lambda index: _shared_weight(sentences[index].text, shares))
            excerpt = passage(sentences, place)
            evidence.append(
                Utterance(
                    turn=turn,
                    relevance=relevance_by_turn[turn.id],
                    deciding=statement(excerpt),
                    order=0,
                    around="",
                    excerpt=excerpt,
                )
            )
    return evidence


def _shared_weight(sentence: str, shares: Mapping[str, float]) -> float:
    """Return how many of the prompt's words a sentence holds, by their weight."""
    return sum(shares.get(term.stem, 0.0) for term in terms_of(sentence))


class _Session:
    """What is known of a session: the words its turns hold together, its nearest turn, and each turn's own
    part."""

    def __init__(self, terms: int) -> None:
        self.frequencies = [0.0] * terms
        self.cosine: float | None = None
        self.turns: dict[str, float] = {}

    def add(self, turn_match: _TurnMatch, own: float) -> None:
        """Count a turn in."""
        self.frequencies = [sum(pair) for pair in zip(self.frequencies, turn_match.frequencies, strict=True)]
        if turn_match.cosine is not None:
            self.cosine = turn_match.cosine if self.cosine is None else max(self.cosine, turn_match.cosine)
        self.turns[turn_match.place.id] = own


def _settled_in_sessions(
    turn_matches: Sequence[_TurnMatch], weights: WordWeights, search: BriefSearch, store: Store
) -> list[Utterance]:
    sessions = _by_session(turn_matches, weights)
    relevance_by_session = {
        session: talk_relevance(weights.held(session_match.frequencies), session_match.cosine)
        for session, session_match in sessions.items()
    }
    best = sorted(
        (
            session_id
            for session_id in relevance_by_session
            if relevance_by_session[session_id] * MOST_SETTLED >= search.floors.talk
        ),
        key=lambda session_id: -relevance_by_session[session_id],
    )[:SESSIONS]
    best_sessions = {session: sessions[session] for session in best}
    return _around(
        best_sessions, {session: relevance_by_session[session] for session in best}, search.vector, store
    )


def _by_session(turn_matches: Iterable[_TurnMatch], weights: WordWeights) -> dict[str, _Session]:
    sessions: dict[str, _Session] = {}
    for turn_match in turn_matches:
        session = sessions.setdefault(turn_match.place.session, _Session(len(weights.shares)))
        session.add(turn_match, talk_relevance(weights.held(turn_match.frequencies), turn_match.cosine))
    return sessions


class AmendmentLead(Struct, frozen=True):
    """Something found whose later amendments are looked for."""

    statement: SettledStatement
    relevance: float
    cosine: float | None = None
    """How near it comes to the prompt."""


def find_later(lead: AmendmentLead, store: Store, but: Collection[str], vector: Vector | None) -> list[Utterance]:
    """Return what later sessions said about what a statement is about: they may amend it.

    They need not share the prompt's words, but must be about what it is about.
    """
    older_statement, vector = lead.statement, vector_for(store, vector)
    least_cosine = max(LATER_COSINE, LATER_SHARE * (lead.cosine or 0.0))
    topic = topic_of(older_statement.text)
    terms = sorted(
        (term for term in terms_of(older_statement.text) if term.stem in topic), key=lambda term: -len(term.stem)
    )
    filters = Filters(said=True, since=older_statement.at)
    matches = store.turns.match(terms[:LATER_WORDS], filters, LATER, LATER_POSTINGS)
    weights = WordWeights.of(terms[:LATER_WORDS], [matches])
    turn_matches = _turn_matches(matches, vector, store, but)
    sessions = {
        session: session_match
        for session, session_match in _by_session(turn_matches, weights).items()
        if weights.held(session_match.frequencies) >= LATER_HELD
        and (session_match.cosine is None or session_match.cosine >= least_cosine)
    }
    best_sessions = sorted(sessions, key=lambda session: -weights.held(sessions[session].frequencies))[
        :LATER_SESSIONS
    ]
    relevance_by_session = dict.fromkeys(best_sessions, lead.relevance)
    return _around(
        {session: sessions[session] for session in best_sessions},
        relevance_by_session,
        vector,
        store,
        LATER_WINDOW,
    )


def _around(
    sessions: Mapping[str, _Session],
    relevance_by_session: Mapping[str, float],
    vector: Vector | None,
    store: Store,
    window: tuple[int, int] = WINDOW,
) -> list[Utterance]:
    """Look around what was found, and weigh what stands there."""
    anchors = store.turns.last(list(sessions), CLOSING) if sessions else []
    for session_match in sessions.values():
        anchors += sorted(session_match.turns, key=session_match.turns.__getitem__, reverse=True)[:ANCHORS]
    passages: dict[str, list[Turn]] = {}
    for turn in store.turns.around(anchors, *window):
        if turn.tool is None and turn.role.lower() not in TOOL_ROLES:
            passages.setdefault(turn.session, []).append(turn)
    _rate_beside(sessions, passages, vector, store)
    return [
        utterance
        for session, turns in passages.items()
        for utterance in _weigh_passage(turns, sessions[session], relevance_by_session[session])
    ]


def _rate_beside(
    sessions: Mapping[str, _Session],
    passages: Mapping[str, list[Turn]],
    vector: Vector | None,
    store: Store,
) -> None:
    """Find out how near those are that words did not find."""
    if vector is None:
        return
    beside = [turn for turns in passages.values() for turn in turns if turn.id not in sessions[turn.session].turns]
    cosines = store.vectors.cosines(TURN, vector, [turn.id for turn in beside])
    for turn in beside:
        if turn.id in cosines:
            sessions[turn.session].turns[turn.id] = talk_relevance(0.0, cosines[turn.id])


def _weigh_passage(turns: Sequence[Turn], session_match: _Session, value: float) -> list[Utterance]:
    """Return the turns of a passage that may be told, with what they settle."""
    most = max(session_match.turns.values(), default=0.0) or 1.0
    weights = settling(turns)
    closing = _closing(turns, weights)
    evidence = []
    for place, (turn, weight) in enumerate(zip(turns, weights, strict=True)):
        excerpt = _told_text(turn, weight, closing=turn.id == closing)
        if not excerpt:
            continue
        closeness = session_match.turns.get(turn.id, 0.0) / most
        around = "\n".join(before.text[:AROUND_CHARS] for before in turns[max(0, place - AROUND) : place])
        own = round(value * (1 - OWN + OWN * closeness), 4)
        evidence.append(
            Utterance(
                turn=turn,
                relevance=own,
                deciding=weight.settles,
                order=place,
                around=around,
                closing=turn.id == closing,
                cosine=session_match.cosine,
                excerpt=excerpt,
                accepted=weight.accepted,
            )
        )
    return evidence


def _told_text(turn: Turn, weight: Weight, *, closing: bool) -> str:
    """Return what is told of a turn: a person's statements; of an agent what says back what was settled, or how
    the session ended where the person took it."""
    by_agent = turn.role.lower() not in PERSON_ROLES
    if not by_agent or weight.recaps:
        return " ".join(sentence.text for sentence in statements(turn.text, by_agent=by_agent))[:TOLD_CHARS]
    if closing and weight.accepted:
        return " ".join(turn.text.split())[:ENDING_CHARS]
    return ""


def _closing(turns: Sequence[Turn], weights: Sequence[Weight]) -> str | None:
    """Return the longest of the last turns, which says how a session ended; not what was only asked or turned
    down."""
    last = [
        turn
        for turn, weight in list(zip(turns, weights, strict=True))[-CLOSING:]
        if not weight.refused and not turn.text.rstrip().endswith("?")
    ]
    return max(last, key=lambda turn: len(turn.text)).id if last else None
