"""The search pipeline: one question over the project's store and the user's own.

retrieve (`channels`) → is it about anything here (`ranking.Topic`) → floor and fuse (`rating`, `turns`) → order
→ `hits`. Requests are checked first, with an error that names the field. Everything that one answer is made of
is read in one transaction of each store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

from msgspec.structs import replace

from holdfast.capture.check import check_choice, check_count, check_kind, check_number, check_size
from holdfast.errors import InvalidInput
from holdfast.model import kinds, limits
from holdfast.model.kinds import TOOL_OUTPUT
from holdfast.model.search import Hit, Query, TurnPlace
from holdfast.model.vectors import TURN
from holdfast.recall.bm25 import SESSIONS, TURNS, KeywordScore, Shape
from holdfast.recall.channels import ChannelScores, Question, find_memories, find_sessions, find_turns
from holdfast.recall.hits import beside_memories, memory_hit, session_hit, turn_hit
from holdfast.recall.ranking import Ranking, Topic
from holdfast.recall.rating import Rating, rate_memories, scale_channels
from holdfast.recall.turns import CandidateScene, rate_sessions, rate_turns

if TYPE_CHECKING:
    from holdfast.ports import Store

POOL = 3
"""Candidates fetched for each hit wanted, so that floors and grouping do not starve the result."""

LEAST_POOL = 30
TURN_POOL = 200
"""Turns fetched from each channel: a turn is judged with its neighbours and its session."""

SESSION_POOL = 500
"""Turns fetched from each channel, and sessions by their words, to rank sessions: more of each are looked at."""

MEMORY_MOST = 1.2
"""What a memory's score is divided by beside what was said: a rare name in it puts it over 1 (decision 0091)."""

MOST_OF_EACH = 2.0
"""What halves of halves add up to: the most that a session of turns scored one by one can have."""


def search(
    question: Question, stores: Sequence[Store], ranking: Ranking, places: Sequence[str | None] = ()
) -> list[Hit]:
    """Return the hits for a question, best first. The first store is the project's, where sessions live.

    With `places`, which say where the project of each store lies, sessions of all stores are searched.
    """
    with ExitStack() as stack:
        for store in stores:
            stack.enter_context(store.reading())
        hits = _Search(question, stores, ranking, places).hits()
    return [_with_encoder(hit, question) for hit in hits[: question.query.limit]]


def _with_encoder(hit: Hit, question: Question) -> Hit:
    """Let a hit say who made the question's vector: cosines of one encoder are no measure for another's."""
    if not question.encoder or not hit.why.get("vector"):
        return hit
    return replace(hit, why={**hit.why, question.encoder: 1.0})


def _best_first(hit: Hit) -> float:
    return -hit.score


class _Search:
    """One question, put to the targets that it is about."""

    def __init__(
        self, question: Question, stores: Sequence[Store], ranking: Ranking, places: Sequence[str | None]
    ) -> None:
        self._question = question
        self._stores = stores
        self._ranking = ranking
        self._places = places
        self._homes = stores if places else stores[:1]
        self._spoken = _of_speakers(question)
        self._pools: list[tuple[ChannelScores, Topic]] = []

    def hits(self) -> list[Hit]:
        """Return the hits, best first; none where the question is about nothing that was found."""
        hits = self._of_target()
        return hits if self._on_topic else []

    @property
    def _on_topic(self) -> bool:
        """Whether anything that was found is about the question, of everything that was gone through."""
        query = self._question.query
        if query.mode != "hybrid" or query.within == "sessions":
            return True
        documents = sum(scores.documents for scores, _ in self._pools)
        return any(topic.covers(_evidence(scores), documents) for scores, topic in self._pools)

    def _of_target(self) -> list[Hit]:
        match self._question.query.within:
            case "memories":
                return self._memories()
            case "turns" | "tool":
                return self._of_all(self._turns)
            case "sessions":
                return self._of_all(self._sessions)
            case "known":
                return self._known()
            case _:
                return self._everything()

    def _known(self) -> list[Hit]:
        """Return memories and what was said, on one scale; memories alone where only they can pass."""
        if only_memories(self._question.query):
            return self._memories()
        memories = self._memories(MEMORY_MOST)
        return self._together((memories, self._said_beside(memories)))

    def _everything(self) -> list[Hit]:
        """Return memories, turns and sessions on one scale."""
        memories = self._memories()
        sessions = self._of_all(lambda store: self._sessions(store, scale=True))
        return self._together((memories, self._said_beside(memories), sessions))

    def _said_beside(self, memories: Sequence[Hit]) -> list[Hit]:
        """Return what was said and is not told by these memories already."""
        now = self._question.query.filters.current_at
        return self._of_all(lambda store: beside_memories(self._turns(store, scale=True), memories, store, now))

    def _together(self, hit_lists: Sequence[list[Hit]]) -> list[Hit]:
        """Put hits of several targets into one order; each score is a share of the most that its recipe gives.

        The best of each are among the hits even so: a memory says once what turns may have asked ten times.
        """
        first = sorted((hit for hits in hit_lists for hit in hits[:1]), key=_best_first)
        rest = sorted((hit for hits in hit_lists for hit in hits[1:]), key=_best_first)
        return sorted([*first, *rest][: self._question.query.limit], key=_best_first)

    def _of_all(self, ask: Callable[[Store], list[Hit]]) -> list[Hit]:
        """Ask every store, and put the answers in one order."""
        if not self._places:
            return ask(self._homes[0])
        pairs = zip(self._homes, self._places, strict=True)
        return sorted((replace(hit, place=where) for store, where in pairs for hit in ask(store)), key=_best_first)

    # ── memories ─────────────────────────────────────────────────────────────────────────────────────────

    def _memories(self, most: float = 1.0) -> list[Hit]:
        question, limit = self._question, self._question.query.limit
        scores = find_memories(question, self._stores, max(LEAST_POOL, POOL * limit))
        self._pools.append((scores, self._ranking.memory_topic))
        ratings = rate_memories(question, scores, self._ranking)
        best = sorted(ratings, key=lambda key: -ratings[key].score)[:limit]
        rows = {
            (place, memory.id): memory
            for place, store in enumerate(self._stores)
            for memory in store.memories.get([row for where, row in best if where == place])
        }
        hits = [
            (key[0], memory_hit(rows[key], ratings[key].out_of(most), question.terms))
            for key in best
            if key in rows
        ]
        return [replace(hit, place=self._places[where]) if self._places else hit for where, hit in hits]

    # ── what was said ────────────────────────────────────────────────────────────────────────────────────

    def _turns(self, store: Store, *, scale: bool = False) -> list[Hit]:
        question = self._spoken
        ratings = self._rated_turns(question, store)
        best = sorted(ratings, key=lambda turn: -ratings[turn].score)[: question.query.limit]
        rows = {turn.id: turn for turn in store.turns.get(best)}
        most = self._ranking.turns.most if scale and not self._one_by_one else 1.0
        return [turn_hit(rows[turn], ratings[turn].out_of(most), question.terms) for turn in best if turn in rows]

    def _rated_turns(self, question: Question, store: Store) -> dict[str, Rating]:
        ranking = self._ranking
        scores = _pool(question, store, TURN_POOL, TURNS)
        if self._one_by_one or not scores.rows:
            self._pools.append((scores, ranking.topic))
            return _plainly(question, scores, ranking)
        scene, cosine = _scene(question, store, scores, ranking)
        self._pools.append((_with(scores, cosine), ranking.topic))
        ratings = rate_turns(question.query.text, scene, ranking.turns)
        floor = ranking.floor_for(question.encoder)
        return {
            turn: rating
            for turn, rating in ratings.items()
            if floor.admits(_share(scores, turn), cosine.get(turn))
        }

    def _sessions(self, store: Store, *, scale: bool = False) -> list[Hit]:
        question, ranking = self._spoken, self._ranking
        scores = _pool(question, store, SESSION_POOL, SESSIONS)
        if self._one_by_one:
            ratings = _best_of_each(_plainly(question, scores, ranking), store)
        else:
            scene, cosines = _scene(question, store, scores, ranking)
            floor = ranking.floor_for(question.encoder)
            admitted_ids = {
                turn.session for turn in scene.turns if floor.admits(_share(scores, turn.id), cosines.get(turn.id))
            }
            admitted_ids |= {
                session.id for session in scene.sessions.values() if floor.admits(session.coverage, None)
            }
            session_ratings = rate_sessions(question.query.text, scene, ranking.sessions)
            ratings = {session: rating for session, rating in session_ratings.items() if session in admitted_ids}
        best = sorted(ratings, key=lambda session: -ratings[session].score)[: question.query.limit]
        rows = {session: store.sessions.get(session) for session in best}
        whole = MOST_OF_EACH if self._one_by_one else ranking.sessions.most
        most = whole if scale else 1.0
        return [
            session_hit(row, ratings[session].out_of(most), question.terms)
            for session in best
            if (row := rows[session])
        ]

    @property
    def _one_by_one(self) -> bool:
        """Whether turns are scored by themselves, as memories are, without neighbours and sessions."""
        return self._ranking.fusion == "rrf" or self._question.query.mode != "hybrid"


def _of_speakers(question: Question) -> Question:
    """Return the question as turns are asked it: of people and agents, or of tools where those are meant."""
    tools = question.query.within == TOOL_OUTPUT
    filters = replace(question.query.filters, said=not tools, tools=tools)
    return replace(question, query=replace(question.query, filters=filters))


def _pool(question: Question, store: Store, least: int, shape: Shape) -> ChannelScores:
    return find_turns(question, store, max(least, POOL * question.query.limit), shape)


def _plainly(question: Question, channel_scores: ChannelScores, ranking: Ranking) -> dict[str, Rating]:
    """Score turns by what the channels say of each alone."""
    return {key[1]: rating for key, rating in rate_memories(question, channel_scores, ranking).items()}


def _evidence(scores: ChannelScores) -> Iterator[tuple[KeywordScore | None, float | None]]:
    """Return what each channel says of every row, None where it does not know it."""
    return ((scores.keyword.get(row), scores.cosine.get(row)) for row in scores.rows)


def _with(scores: ChannelScores, cosine: dict[str, float]) -> ChannelScores:
    return replace(scores, cosine={(0, row): value for row, value in cosine.items()})


def _scene(
    question: Question, store: Store, channel_scores: ChannelScores, ranking: Ranking
) -> tuple[CandidateScene, dict[str, float]]:
    """Put the candidates where they stand: their neighbours are candidates too, where no filter is in the way."""
    filters = question.query.filters
    places = {turn.id: turn for turn in store.turns.places([row for _, row in channel_scores.rows])}
    if not filters.by_anybody.restrict:
        around = [turn_id for turn in places.values() for turn_id in (turn.before, turn.after)]
        beside = [turn_id for turn_id in dict.fromkeys(around) if turn_id and turn_id not in places]
        places.update({turn.id: turn for turn in store.turns.places(beside) if turn.said == filters.spoken})
    cosine = _cosines(question, store, channel_scores, list(places.values()))
    keyword = {row: keyword_score.score for (_, row), keyword_score in channel_scores.keyword.items()}
    sessions = find_sessions(question, store, SESSION_POOL)
    return CandidateScene(list(places.values()), scale_channels(ranking.fusion, keyword, cosine), sessions), cosine


def _cosines(
    question: Question, store: Store, channel_scores: ChannelScores, places: Sequence[TurnPlace]
) -> dict[str, float]:
    """Return the cosines of candidates, those that stand beside others among them."""
    vector = question.vector_for(store)
    if vector is None:
        return {}
    cosine = {row: value for (_, row), value in channel_scores.cosine.items()}
    missing_ids = [turn.id for turn in places if turn.id not in cosine]
    return cosine | store.vectors.cosines(TURN, vector, missing_ids)


def _share(channel_scores: ChannelScores, turn: str) -> float | None:
    keyword_score = channel_scores.keyword.get((0, turn))
    return keyword_score.coverage if keyword_score else None


def _best_of_each(turns: dict[str, Rating], store: Store) -> dict[str, Rating]:
    """Score a session by its best turns, each counting half of the one before."""
    ratings_by_session: dict[str, list[Rating]] = {}
    for place in store.turns.places(sorted(turns, key=lambda turn: -turns[turn].score)):
        ratings_by_session.setdefault(place.session, []).append(turns[place.id])
    ratings = {}
    for session, best in ratings_by_session.items():
        total = sum(rating.score / 2**rank for rank, rating in enumerate(best))
        ratings[session] = Rating(total, {**best[0].why, "turns": float(len(best))})
    return ratings


def check_query(query: Query) -> None:
    """Refuse a query that cannot be meant; the error names the field."""
    check_size("query", query.text, limits.CONTENT_BYTES)
    check_count("limit", query.limit, 1, 1_000)
    check_choice("mode", query.mode, kinds.MODES)
    check_choice("within", query.within, kinds.TARGETS)
    check_fits(query)
    for kind in query.filters.kinds:
        check_kind(kind)
    for status in query.filters.statuses:
        check_choice("status", status, kinds.STATUSES)
    check_number("min_importance", query.filters.min_importance)
    check_size("file", query.filters.file or "", limits.PATH_CHARS * 4)
    check_size("contains", query.filters.contains or "", limits.CONTENT_BYTES)


def only_memories(query: Query) -> bool:
    """Say whether nothing but memories can pass: by a filter that only they have, or by where they are kept."""
    return query.scope == "user" or any(_of_memories_alone(query).values())


def check_fits(query: Query) -> None:
    """Refuse a filter by something that only memories have, and a place that has only memories.

    To pass over such a filter would answer another question; to leave turns out would not say so. Who did not say
    where to look is answered with memories.
    """
    if query.within in ("memories", kinds.KNOWN):
        return
    if query.scope == "user":
        raise InvalidInput(field="within", problem="only memories are kept in user scope.")
    for field, value in _of_memories_alone(query).items():
        if value:
            problem = f"only memories have that. Leave it out, or search within memories, not {query.within}."
            raise InvalidInput(field=field, problem=problem)


def _of_memories_alone(query: Query) -> dict[str, object]:
    filters = query.filters
    return {
        "kinds": filters.kinds,
        "tags": filters.tags,
        "status": filters.statuses,
        "trust": filters.trusts,
        "min_importance": filters.min_importance is not None,
        "sources": filters.sources,
    }
