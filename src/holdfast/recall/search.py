"""The search pipeline: one question over the project's store and the user's own.

retrieve (`channels`) → floor and fuse (`memories`, `turns`, `fuse`) → order → hits. Everything that one answer is
made of is read in one transaction of each store.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack

from holdfast.model.search import Hit, TurnPlace
from holdfast.model.type_hints import TYPE_CHECKING
from holdfast.model.value import replace
from holdfast.model.vectors import TURN
from holdfast.recall.bm25 import SESSIONS, TURNS, Shape
from holdfast.recall.channels import Found, Question, find_memories, find_sessions, find_turns
from holdfast.recall.fuse import scaled
from holdfast.recall.hits import memory_hit, session_hit, turn_hit
from holdfast.recall.memories import Rated, rate_memories
from holdfast.recall.ranking import Ranking
from holdfast.recall.turns import Scene, rate_sessions, rate_turns

if TYPE_CHECKING:
    from holdfast.ports import Store

POOL = 3
"""Candidates fetched for each hit wanted, so that floors and grouping do not starve the result."""

LEAST_POOL = 30
TURN_POOL = 200
"""Turns fetched from each channel: a turn is judged with its neighbours and its session."""

SESSION_POOL = 500
"""Turns fetched from each channel, and sessions by their words, to rank sessions: more of each are looked at."""

MOST_OF_EACH = 2.0
"""What halves of halves add up to: the most that a session of turns scored one by one can have."""


def search(
    question: Question, stores: Sequence[Store], ranking: Ranking, places: Sequence[str | None] = ()
) -> list[Hit]:
    """Return the hits for a question, best first. The first store is the project's, where sessions live.

    With `machine.paths`, which say where the project of each store lies, sessions of all stores are searched.
    """
    homes = stores if places else stores[:1]
    with ExitStack() as stack:
        for store in stores:
            stack.enter_context(store.reading())
        match question.query.within:
            case "memories":
                found = _memories(question, stores, ranking, places)
            case "turns":
                found = _of_all(homes, places, lambda store: _turns(question, store, ranking))
            case "sessions":
                found = _of_all(homes, places, lambda store: _sessions(question, store, ranking))
            case _:
                found = _everything(question, stores, ranking, places)
    return [_with_encoder(hit, question) for hit in found[: question.query.limit]]


def _with_encoder(hit: Hit, question: Question) -> Hit:
    """Let a hit say who made the question's vector: cosines of one encoder are no measure for another's."""
    if not question.encoder or not hit.why.get("vector"):
        return hit
    return replace(hit, why={**hit.why, question.encoder: 1.0})


def _of_all(homes: Sequence[Store], places: Sequence[str | None], ask: Callable[[Store], list[Hit]]) -> list[Hit]:
    """Ask every store, and put the answers in one order."""
    if not places:
        return ask(homes[0])
    found = [replace(hit, place=where) for store, where in zip(homes, places, strict=True) for hit in ask(store)]
    return sorted(found, key=_best_first)


def _everything(
    question: Question, stores: Sequence[Store], ranking: Ranking, places: Sequence[str | None]
) -> list[Hit]:
    """Return memories, turns and sessions on one scale: each score as a share of the most that its recipe gives.

    The best of each are among the hits even so: a memory says once what turns may have asked ten times.
    """
    turns = ranking.turns.most(by_meaning=question.vector is not None)
    sessions = ranking.sessions.most(by_meaning=question.vector is not None)
    if _one_by_one(question, ranking):
        turns, sessions = 1.0, MOST_OF_EACH
    homes = stores if places else stores[:1]
    found = (
        _memories(question, stores, ranking, places),
        _of_all(homes, places, lambda store: _turns(question, store, ranking, turns)),
        _of_all(homes, places, lambda store: _sessions(question, store, ranking, sessions)),
    )
    first = sorted((hit for hits in found for hit in hits[:1]), key=_best_first)
    rest = sorted((hit for hits in found for hit in hits[1:]), key=_best_first)
    return sorted([*first, *rest][: question.query.limit], key=_best_first)


def _best_first(hit: Hit) -> float:
    return -hit.score


def _memories(
    question: Question, stores: Sequence[Store], ranking: Ranking, places: Sequence[str | None]
) -> list[Hit]:
    limit = question.query.limit
    found = find_memories(question, stores, max(LEAST_POOL, POOL * limit))
    rated = rate_memories(question, found, ranking)
    best = sorted(rated, key=lambda key: -rated[key].score)[:limit]
    rows = {
        (place, memory.id): memory
        for place, store in enumerate(stores)
        for memory in store.memories.get([row for where, row in best if where == place])
    }
    hits = [(key[0], memory_hit(rows[key], rated[key])) for key in best if key in rows]
    return [replace(hit, place=places[where]) if places else hit for where, hit in hits]


def _turns(question: Question, store: Store, ranking: Ranking, most: float = 1.0) -> list[Hit]:
    rated = _rated_turns(question, store, ranking)
    best = sorted(rated, key=lambda turn: -rated[turn].score)[: question.query.limit]
    rows = {turn.id: turn for turn in store.turns.get(best)}
    return [turn_hit(rows[turn], rated[turn].out_of(most)) for turn in best if turn in rows]


def _rated_turns(question: Question, store: Store, ranking: Ranking) -> dict[str, Rated]:
    found = _pool(question, store, TURN_POOL, TURNS)
    if _one_by_one(question, ranking):
        return _plainly(question, found, ranking)
    scene, near = _scene(question, store, found, ranking)
    rated = rate_turns(question.query.text, scene, ranking.turns)
    floor = ranking.floor_for(question.encoder)
    return {turn: one for turn, one in rated.items() if floor.admits(_share(found, turn), near.get(turn))}


def _sessions(question: Question, store: Store, ranking: Ranking, most: float = 1.0) -> list[Hit]:
    found = _pool(question, store, SESSION_POOL, SESSIONS)
    if _one_by_one(question, ranking):
        rated = _best_of_each(_plainly(question, found, ranking), store)
    else:
        scene, near = _scene(question, store, found, ranking)
        floor = ranking.floor_for(question.encoder)
        admitted = {
            turn.session for turn in scene.turns if floor.admits(_share(found, turn.id), near.get(turn.id))
        }
        admitted |= {one.id for one in scene.sessions.values() if floor.admits(one.coverage, None)}
        scored = rate_sessions(question.query.text, scene, ranking.sessions)
        rated = {session: one for session, one in scored.items() if session in admitted}
    best = sorted(rated, key=lambda session: -rated[session].score)[: question.query.limit]
    rows = {session: store.sessions.get(session) for session in best}
    return [session_hit(row, rated[session].out_of(most)) for session in best if (row := rows[session])]


def _one_by_one(question: Question, ranking: Ranking) -> bool:
    """Say whether turns are scored by themselves, as memories are, without neighbours and sessions."""
    return ranking.fusion == "rrf" or question.query.mode != "hybrid"


def _pool(question: Question, store: Store, least: int, shape: Shape) -> Found:
    return find_turns(question, store, max(least, POOL * question.query.limit), shape)


def _plainly(question: Question, found: Found, ranking: Ranking) -> dict[str, Rated]:
    """Score turns by what the channels say of each alone."""
    return {key[1]: rated for key, rated in rate_memories(question, found, ranking).items()}


def _scene(question: Question, store: Store, found: Found, ranking: Ranking) -> tuple[Scene, dict[str, float]]:
    """Put the candidates where they stand: their neighbours are candidates too, where no filter is in the way."""
    places = {turn.id: turn for turn in store.turns.places([row for _, row in found.rows])}
    if not question.query.filters.restrict:
        around = [one for turn in places.values() for one in (turn.before, turn.after)]
        beside = [one for one in dict.fromkeys(around) if one and one not in places]
        places.update({turn.id: turn for turn in store.turns.places(beside)})
    cosine = _cosines(question, store, found, list(places.values()))
    keyword = {row: one.score for (_, row), one in found.keyword.items()}
    sessions = find_sessions(question, store, SESSION_POOL)
    return Scene(list(places.values()), scaled(ranking.fusion, keyword, cosine), sessions), cosine


def _cosines(question: Question, store: Store, found: Found, places: Sequence[TurnPlace]) -> dict[str, float]:
    """Return the cosines of candidates and of who stands beside them."""
    vector = question.vector_for(store)
    if vector is None:
        return {}
    cosine = {row: value for (_, row), value in found.cosine.items()}
    around = (one for turn in places for one in (turn.id, turn.before, turn.after))
    missing = [one for one in dict.fromkeys(around) if one and one not in cosine]
    return cosine | store.vectors.cosines(TURN, vector, missing)


def _share(found: Found, turn: str) -> float | None:
    held = found.keyword.get((0, turn))
    return held.coverage if held else None


def _best_of_each(turns: dict[str, Rated], store: Store) -> dict[str, Rated]:
    """Score a session by its best turns, each counting half of the one before."""
    gathered: dict[str, list[Rated]] = {}
    for place in store.turns.places(sorted(turns, key=lambda turn: -turns[turn].score)):
        gathered.setdefault(place.session, []).append(turns[place.id])
    rated = {}
    for session, best in gathered.items():
        total = sum(one.score / 2**rank for rank, one in enumerate(best))
        rated[session] = Rated(total, {**best[0].why, "turns": float(len(best))})
    return rated
