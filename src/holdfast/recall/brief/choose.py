"""From candidates to what goes into a brief: above the floor, current, reranked, selected, each thing once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from holdfast.errors import HoldfastError, StoreSlow
from holdfast.model.conflict import Conflict
from holdfast.model.kinds import CANDIDATE
from holdfast.model.memory import Memory
from holdfast.model.type_hints import TYPE_CHECKING
from holdfast.model.value import Value, replace
from holdfast.recall.brief.amendments import amendment, says_all
from holdfast.recall.brief.candidates import Remembered
from holdfast.recall.brief.current import last_words, overruled, standing, statement_of, statement_of_memory
from holdfast.recall.brief.evidence import Evidence, Followed, find_later
from holdfast.recall.brief.relevance import Floors
from holdfast.recall.brief.request import Reach, Request
from holdfast.recall.brief.scoring import Chosen, score_memory, score_turn
from holdfast.recall.brief.selection import select

if TYPE_CHECKING:
    from holdfast.ports import Reranker, Store

FOLLOWED = 1
"""Sessions whose later amendments are looked for."""

MOST_FOLLOWED = 2
"""Sessions and memories together whose later amendments are looked for."""

NEAR_BEST = 0.4
"""The share of the best entry's worth below which another is noise beside it."""


class Choice(Value):
    """What a brief tells about a prompt, best first."""

    entries: Sequence[Chosen]
    cut: bool = False
    """Whether time was too short to look for later amendments."""


def choose(
    request: Request, reach: Reach, memories: Sequence[Remembered], evidence: Sequence[Evidence], floors: Floors
) -> Choice:
    """Choose what a brief tells about a prompt; nothing where nothing is relevant."""
    scene = request.scene
    scored = [score_memory(memory, scene) for memory in memories]
    known = [one for one in scored if one.worth >= (floors.rule if one.stands else floors.memory)]
    strong = [one for one in evidence if one.settles and score_turn(one, scene).worth >= floors.talk]
    if not strong and not known:
        return Choice([])
    settled = last_words(evidence)
    admitted = [one for one in settled if one in strong]
    later, cut = _followed(evidence, admitted, known, request, reach.stores[0])
    said = _current([*last_words(later), *settled], admitted, evidence, request)
    holding = [one for one in known if _holds_still(one, said)]
    near = _near_best([*holding, *(score_turn(one, scene) for one in said)])
    return Choice(select(_reranked(near, request, reach.reranker), request.limits), cut)


def _near_best(scored: Sequence[Chosen]) -> list[Chosen]:
    """Leave out what is far behind the best: beside a good answer a fair one is noise. What nobody confirmed is
    no better answer than a person's word."""
    best = max((one.worth for one in scored), default=0.0)
    stated = max((one.worth for one in scored if one.stands), default=0.0)
    return [one for one in scored if one.worth >= NEAR_BEST * (stated if one.stands else best)]


def _current(
    settled: Sequence[Evidence], admitted: Sequence[Evidence], evidence: Sequence[Evidence], request: Request
) -> list[Evidence]:
    """Return what counts of what was settled and no later session amended, and how the best session ended."""
    judged = standing(list({one.turn.id: one for one in settled}.values()))
    amending = {one.amended_by.turn.id for one in judged if one.amended_by}
    counting = {one.turn.id for one in admitted} | amending
    current = [one.evidence for one in judged if one.amended_by is None]
    counting |= {one.turn.id for one in overruled(current, [one for one in admitted if not one.by_person])}
    holding = {one.turn.id for one in current}
    untouched = [one for one in evidence if not one.settles or one.turn.id in holding]
    return _with_ending([one for one in current if one.turn.id in counting], untouched, request)


def _followed(
    evidence: Iterable[Evidence],
    admitted: Sequence[Evidence],
    known: Sequence[Chosen],
    request: Request,
    store: Store,
) -> tuple[list[Evidence], bool]:
    """Look for what was said later about what was found: it may have changed, in words the prompt does not
    hold. Say, too, whether there was no time for all of it."""
    seen = {one.turn.session for one in evidence} | {request.session or ""}
    best = {one.turn.session: one for one in sorted(admitted, key=lambda one: one.relevance)}
    followed = [Followed(statement_of(one), one.relevance, one.cosine) for one in list(best.values())[-FOLLOWED:]]
    followed += [
        Followed(statement_of_memory(one.source), one.parts["relevance"])
        for one in known
        if isinstance(one.source, Memory) and one.session not in best
    ]
    later: list[Evidence] = []
    try:
        for one in followed[:MOST_FOLLOWED]:
            later += find_later(one, store, seen | {one.statement.session or ""}, request.vector)
    except StoreSlow:
        return later, True
    return later, False


def _with_ending(kept: list[Evidence], evidence: Iterable[Evidence], request: Request) -> list[Evidence]:
    """Let the best session be told by what it settled and by how it ended: a recap, or the last rule with its
    reason."""
    if not kept:
        return kept
    best = max(kept, key=lambda one: score_turn(one, request.scene).score)
    session = best.turn.session
    ending = [one for one in evidence if one.closing and one.turn.session == session]
    if not ending:
        return kept
    others = [one for one in kept if one.turn.session != session]
    told = {one.turn.id: one for one in (best, *ending)}
    return [*others, *told.values()]


def _holds_still(one: Chosen, said: Sequence[Evidence]) -> bool:
    """Say whether a memory still holds: one that nobody confirmed goes where something said later says it anew."""
    if not isinstance(one.source, Memory) or one.source.status != CANDIDATE:
        return True
    words = statement_of_memory(one.source)
    newer = (other for other in said if other.settles and other.turn.session != one.session)
    return not any((how := amendment(statement_of(other), words)) and how.whole for other in newer)


def _reranked(scored: list[Chosen], request: Request, reranker: Reranker | None) -> list[Chosen]:
    """Let a reranker have its say on the best, where there is one."""
    if reranker is None or request.prompt is None or not scored:
        return scored
    best = sorted(scored, key=lambda one: -one.score)[: request.limits.best]
    try:
        opinions = reranker.rerank(request.prompt.text, [one.text for one in best])
    except HoldfastError:  # its model is not at hand, or failed: the order is what it was without it
        return scored
    return [
        replace(one, parts={**one.parts, "rerank": 0.5 + opinion})
        for one, opinion in zip(best, opinions, strict=True)
    ]


def each_once(chosen: Sequence[Chosen], conflicts: Sequence[Conflict]) -> list[Chosen]:
    """Leave out what one that ranks higher says already; of what is in conflict, both sides are shown."""
    disputed = {one for conflict in conflicts for one in (conflict.first, conflict.second)}
    kept: list[Chosen] = []
    for one in chosen:
        if one.id in disputed or not any(says_all(other.text, one.text) for other in kept):
            kept.append(one)
    return kept
