"""The search pipeline: one query over the project's store and the user's own."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from holdfast.model.memory import Memory
from holdfast.model.search import Hit, Query
from holdfast.model.session import Session, Turn
from holdfast.model.title import title_of
from holdfast.ports import Store
from holdfast.recall.bm25 import Scored, score
from holdfast.recall.terms import terms_of

POOL = 3
"""Candidates fetched for each hit wanted, so that floors and grouping do not starve the result."""

LEAST_POOL = 30
SESSION_POOL = 200
FOLLOWERS = 0.5
"""What a session's next best turn adds, as a share of the one before it."""


def search(query: Query, stores: Sequence[Store], floor: float) -> list[Hit]:
    """Return the hits for a query, best first. The first store is the project's, where sessions live."""
    match query.within:
        case "memories":
            found = _memories(query, stores, floor)
        case "turns":
            found = _turns(query, stores[0], floor)
        case "sessions":
            found = _sessions(query, stores[0], floor)
        case _ if _about_memories(query):
            found = _memories(query, stores, floor)
        case _:
            found = [
                *_memories(query, stores, floor),
                *_turns(query, stores[0], floor),
                *_sessions(query, stores[0], floor),
            ]
            found.sort(key=lambda hit: -hit.score)
    return found[: query.limit]


def _about_memories(query: Query) -> bool:
    """Say whether a filter asks for what only memories have."""
    asked = query.filters
    return bool(asked.kinds or asked.tags or asked.statuses or asked.sources or asked.min_importance is not None)


def _memories(query: Query, stores: Sequence[Store], floor: float) -> list[Hit]:
    terms = terms_of(query.text)
    pool = max(LEAST_POOL, POOL * query.limit)
    matches = [store.memories.match(terms, query.filters, pool) for store in stores] if terms else []
    best = _above(score(matches) if matches else [], floor)[: query.limit]
    rows = {
        memory.id: memory
        for place, store in enumerate(stores)
        for memory in store.memories.get([one.id for one in best if one.store == place])
    }
    return [_memory_hit(rows[one.id], one) for one in best if one.id in rows]


def _turns(query: Query, store: Store, floor: float) -> list[Hit]:
    best = _best_turns(query, store, floor, max(LEAST_POOL, POOL * query.limit))[: query.limit]
    rows = {turn.id: turn for turn in store.turns.get([one.id for one in best])}
    return [_turn_hit(rows[one.id], one) for one in best if one.id in rows]


def _sessions(query: Query, store: Store, floor: float) -> list[Hit]:
    """Score a session by its best turns, each counting half of the one before; the best must pass the floor."""
    best = _best_turns(query, store, 0, max(SESSION_POOL, POOL * query.limit))
    rows = {turn.id: turn for turn in store.turns.get([one.id for one in best])}
    grouped: defaultdict[str, list[Scored]] = defaultdict(list)
    for one in best:
        if one.id in rows:
            grouped[rows[one.id].session].append(one)
    hits = [
        _session_hit(session, scored)
        for session_id, scored in grouped.items()
        if _above(scored, floor) and (session := store.sessions.get(session_id))
    ]
    return sorted(hits, key=lambda hit: -hit.score)[: query.limit]


def _best_turns(query: Query, store: Store, floor: float, pool: int) -> list[Scored]:
    terms = terms_of(query.text)
    if not terms:
        return []
    return _above(score([store.turns.match(terms, query.filters, pool)]), floor)


def _above(scored: Sequence[Scored], floor: float) -> list[Scored]:
    """Drop what shares too little with the query to be an answer, however it compares with the rest."""
    return [one for one in scored if one.coverage >= floor]


def _memory_hit(memory: Memory, scored: Scored) -> Hit:
    return Hit(
        id=memory.id,
        ref=None,
        session=memory.session,
        title=memory.title,
        kind=memory.kind,
        score=round(scored.score, 4),
        created_at=memory.created_at,
        source=memory.source,
        trust=memory.trust,
        status=memory.status,
        why=_why(scored),
    )


def _turn_hit(turn: Turn, scored: Scored) -> Hit:
    return Hit(
        id=turn.id,
        ref=turn.ref,
        session=turn.session,
        title=title_of(turn.text),
        kind="turn",
        score=round(scored.score, 4),
        created_at=turn.at,
        source=turn.role,
        trust="tool" if turn.tool else "user" if turn.role == "user" else "agent",
        status=None,
        why=_why(scored),
    )


def _session_hit(session: Session, scored: Sequence[Scored]) -> Hit:
    total = sum(one.score * FOLLOWERS**rank for rank, one in enumerate(scored))
    return Hit(
        id=session.id,
        ref=session.ref,
        session=session.id,
        title=title_of(session.summary) or f"{session.agent} session",
        kind="session",
        score=round(total, 4),
        created_at=session.started_at,
        source=session.agent,
        trust="agent",
        status=session.status,
        why=_why(replace(scored[0], score=total)) | {"turns": float(len(scored))},
    )


def _why(scored: Scored) -> dict[str, float]:
    return {"keyword": round(scored.score, 4), "coverage": round(scored.coverage, 4)}
