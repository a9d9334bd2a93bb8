"""From candidates to what goes into a brief: above the floor, current, reranked, selected, each thing once."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from holdfast.model.conflict import Conflict
from holdfast.model.kinds import CANDIDATE, TOOL_ROLES
from holdfast.model.memory import Memory
from holdfast.ports import Reranker, Store
from holdfast.recall.brief.amendments import amendment, topic_of
from holdfast.recall.brief.candidates import Remembered
from holdfast.recall.brief.current import Standing, last_words, standing, statement_of, statement_of_memory
from holdfast.recall.brief.deciding import statement
from holdfast.recall.brief.evidence import Evidence, Followed, find_later
from holdfast.recall.brief.request import Reach, Request
from holdfast.recall.brief.scoring import Chosen, floor_of, score_memory, score_standing, score_turn
from holdfast.recall.brief.selection import select

FOLLOWED, MOST_FOLLOWED = 1, 2
"""Sessions, and sessions and memories together, whose later amendments are looked for."""

NEAR_BEST = 0.4
SAME = 0.8
"""The share of an entry's words from which on another says the same."""


def choose(
    request: Request, reach: Reach, memories: Sequence[Remembered], evidence: Sequence[Evidence]
) -> list[Chosen]:
    """Return what a brief tells about a prompt, best first; nothing where nothing is relevant."""
    floor, scene = floor_of(request.asked), request.scene
    known = [one for one in (score_memory(memory, scene) for memory in memories) if one.worth >= floor]
    store = reach.stores[0]
    said = _current(evidence, known, request, store)
    sources = _made_from(known, store)
    holding = [
        held
        for one in known
        if sources.get(one.id) not in _overtaken(evidence, said) and (held := _held(one, said))
    ]
    turns = [score_standing(one, scene) for one in (*said, *_behind(holding, sources, said, store))]
    scored = [one for one in _told_by_turns(holding, turns) if one.score > 0]
    return select(_reranked(_near_best(scored), request, reach.reranker), request.limits)


def _made_from(known: Sequence[Chosen], store: Store) -> dict[str, str]:
    """Return the turn that each memory was made from, where one was."""
    ids = [one.id for one in known if one.session]
    return {one.memory: one.turn for one in store.findings.behind(ids) if one.memory} if ids else {}


def _overtaken(evidence: Sequence[Evidence], said: Sequence[Standing]) -> set[str]:
    """Return the turns of the sessions told of that settled something, until a later turn of theirs took it up."""
    told = {one.evidence.turn.id for one in said}
    sessions = {one.evidence.turn.session for one in said}
    return {one.turn.id for one in evidence if one.turn.session in sessions and one.turn.id not in told}


def _behind(
    known: Sequence[Chosen], sources: Mapping[str, str], said: Sequence[Standing], store: Store
) -> list[Standing]:
    """Return the turns that memories were made from, where they are not among the evidence."""
    there = {one.evidence.turn.id for one in said}
    worth = {sources[one.id]: one.parts["relevance"] for one in known if one.id in sources}
    turns = store.turns.get([turn for turn in worth if turn not in there])
    return [
        Standing(Evidence(turn, worth[turn.id], statement(turn.text), 0, ""))
        for turn in turns
        if turn.tool is None and turn.role.lower() not in TOOL_ROLES
    ]


def _told_by_turns(known: Sequence[Chosen], turns: Sequence[Chosen]) -> list[Chosen]:
    """Let a turn tell the memories that were made from it: it says what they say, and what belongs to it."""
    told: dict[str, list[Chosen]] = {}
    for one in known:
        homes = [turn for turn in turns if not turn.marks and turn.session == one.session and _holds(turn, one)]
        if homes and not one.marks:
            told.setdefault(max(homes, key=lambda turn: turn.score).id, []).append(one)
    spoken_for = {one.id for memories in told.values() for one in memories}
    alone = [one for one in known if one.id not in spoken_for]
    return [*alone, *(_telling(turn, told[turn.id]) if turn.id in told else turn for turn in turns)]


def _holds(turn: Chosen, memory: Chosen) -> bool:
    topic = topic_of(memory.text)
    return bool(topic) and len(topic & topic_of(turn.text)) / len(topic) >= SAME


def _telling(turn: Chosen, memories: Sequence[Chosen]) -> Chosen:
    """A turn is worth what the best of its memories is worth."""
    best = max((turn, *memories), key=lambda one: one.score)
    sources = tuple(one.source for one in memories if isinstance(one.source, Memory))
    return replace(turn, parts=best.parts, telling=sources)


def _near_best(scored: Sequence[Chosen]) -> list[Chosen]:
    """Leave out what is far behind the best: beside a good answer a fair one is noise."""
    best = max((one.worth for one in scored), default=0.0)
    return [one for one in scored if one.superseded or one.worth >= NEAR_BEST * best]


def _current(
    evidence: Sequence[Evidence], known: Sequence[Chosen], request: Request, store: Store
) -> list[Standing]:
    """Return the evidence that counts, with what later sessions made of it, and how the best session ended."""
    floor = floor_of(request.asked)
    strong = [one for one in evidence if one.settles and score_turn(one, request.scene).worth >= floor]
    if not strong and not known:
        return []
    settled = last_words(evidence)
    admitted = [one for one in settled if one in strong]
    later = _followed(evidence, admitted, known, request, store)
    judged = standing(list({one.turn.id: one for one in (*last_words(later), *settled)}.values()))
    amending = {one.amended_by.turn.id for one in judged if one.amended_by}
    counting = {one.turn.id for one in admitted} | amending
    kept = [one for one in judged if one.evidence.turn.id in counting]
    return _with_ending(kept, evidence, request)


def _followed(
    evidence: Iterable[Evidence],
    admitted: Sequence[Evidence],
    known: Sequence[Chosen],
    request: Request,
    store: Store,
) -> list[Evidence]:
    """Look for what was said later about what was found: it may have changed, in words the prompt does not
    hold."""
    seen = {one.turn.session for one in evidence} | {request.session or ""}
    best = {one.turn.session: one for one in sorted(admitted, key=lambda one: one.relevance)}
    followed = [Followed(statement_of(one), one.relevance, one.cosine) for one in list(best.values())[-FOLLOWED:]]
    followed += [
        Followed(statement_of_memory(one.source), one.parts["relevance"])
        for one in known
        if isinstance(one.source, Memory) and one.session not in best
    ]
    return [
        found
        for one in followed[:MOST_FOLLOWED]
        for found in find_later(one, store, seen | {one.statement.session or ""}, request.vector)
    ]


def _with_ending(kept: list[Standing], evidence: Iterable[Evidence], request: Request) -> list[Standing]:
    """Let the best session be told by what it settled and by how it ended: a recap, or the last rule with its
    reason."""
    holding = [one for one in kept if one.amended_by is None]
    if not holding:
        return kept
    best = max(holding, key=lambda one: score_turn(one.evidence, request.scene).score)
    session = best.evidence.turn.session
    ending = [one for one in evidence if one.closing and one.turn.session == session]
    if not ending:
        return kept
    others = [one for one in kept if one.evidence.turn.session != session or one.amended_by]
    told = {one.turn.id: Standing(one) for one in (best.evidence, *ending)}
    return [*others, *told.values()]


def _held(one: Chosen, said: Sequence[Standing]) -> Chosen | None:
    """Mark a memory that something said later seems to change; one that nobody confirmed and that is said anew
    goes."""
    if not isinstance(one.source, Memory):
        return one
    words = statement_of_memory(one.source)
    for other in said:
        newer = other.evidence
        how = (
            amendment(statement_of(newer), words) if newer.settles and newer.turn.session != one.session else None
        )
        if how and how.whole and one.source.status == CANDIDATE:
            return None
        if how:
            return replace(one, marks=(f"may be superseded by #{newer.turn.id[-8:]}",))
    return one


def _reranked(scored: list[Chosen], request: Request, reranker: Reranker | None) -> list[Chosen]:
    """Let a reranker have its say on the best, where there is one."""
    if reranker is None or request.asked is None or not scored:
        return scored
    best = sorted(scored, key=lambda one: -one.score)[: request.limits.best]
    opinions = reranker.rerank(request.asked.text, [one.text for one in best])
    return [
        replace(one, parts={**one.parts, "rerank": 0.5 + opinion})
        for one, opinion in zip(best, opinions, strict=True)
    ]


def each_once(chosen: Sequence[Chosen], conflicts: Sequence[Conflict]) -> list[Chosen]:
    """Leave out what one that ranks higher says already; of what is in conflict, both sides are shown."""
    disputed = {one for conflict in conflicts for one in (conflict.first, conflict.second)}
    kept: list[Chosen] = []
    for one in chosen:
        topic = topic_of(one.text)
        said = any(topic and len(topic & topic_of(other.text)) / len(topic) >= SAME for other in kept)
        if not said or one.marks or one.id in disputed:
            kept.append(one)
    return kept
