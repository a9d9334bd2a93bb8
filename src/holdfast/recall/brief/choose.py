"""From candidates to what goes into a brief: above the floor, near the best, reranked, selected, told once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from holdfast.model.memory import Conflict, Memory
from holdfast.recall.brief.account import HEALTHY_LIMITS, Account, BriefLimits
from holdfast.recall.brief.candidates import RelevantMemory, ScoredEntry, score_memory, score_thread
from holdfast.recall.brief.once import repeats_any
from holdfast.recall.brief.relevance import Floors
from holdfast.recall.brief.request import BriefSources, Request
from holdfast.recall.brief.threads import RelevantThread, replaced_memories

NEAR_BEST = 0.3
"""The share of the best entry's worth below which another is noise beside it."""

DROPPED_SHARE = 0.2
"""The share of the best that is left out for its low score."""

MOST_CHOSEN = 5
"""Memories that are told about a prompt beside threads."""

OWN = 0.55
"""What part of the floor the one statement must pass by itself that is told of a thread."""

MOST_THREADS = 6
"""Threads that are told about a prompt: the best one whole, the others by one statement each."""


def choose(
    request: Request,
    reach: BriefSources,
    memories: Sequence[RelevantMemory],
    threads: Sequence[RelevantThread],
    floors: Floors,
) -> list[ScoredEntry]:
    """Choose what a brief tells about a prompt, best first; nothing where nothing is relevant."""
    scene, account = request.scene, request.account
    ids_in_threads = {statement.id for candidate in threads for statement in candidate.statements}
    relevance_inside = {
        candidate.memory.id: candidate.relevance for candidate in memories if candidate.memory.id in ids_in_threads
    }
    other_memories = [candidate for candidate in memories if candidate.memory.id not in ids_in_threads]
    replaced_ids = replaced_memories([candidate.memory for candidate in other_memories], reach.stores[0].threads)
    memories_alone = [candidate for candidate in other_memories if candidate.memory.id not in replaced_ids]
    scored_entries = [
        *(score_memory(candidate, scene) for candidate in memories_alone),
        *(score_thread(_with_memory_fit(candidate, relevance_inside), scene) for candidate in threads),
    ]
    relevant_entries = [entry for entry in scored_entries if entry.worth >= _floor(entry, floors)]
    near_best = _near_best(relevant_entries)
    near_best = [entry for entry in near_best if _stands_alone(entry, near_best, floors)]
    selection = select(_rerank(near_best, request, reach), request.limits)
    if account:
        account.leave(scored_entries, relevant_entries, Account.IRRELEVANT)
        account.leave(relevant_entries, selection, Account.WEAKER)
    return selection


def _with_memory_fit(candidate: RelevantThread, relevance_inside: Mapping[str, float]) -> RelevantThread:
    """Let a statement fit as well as the memory that it is."""
    statements = tuple(
        replace(statement, fit=max(statement.fit, relevance_inside.get(statement.id, 0.0)))
        for statement in candidate.statements
    )
    return replace(candidate, statements=statements)


def _stands_alone(entry: ScoredEntry, other_memories: Sequence[ScoredEntry], floors: Floors) -> bool:
    """Return whether a thread may be told: the best one, or one whose best statement is relevant by itself."""
    if isinstance(entry.source, Memory):
        return True
    best = max(
        (rival for rival in other_memories if not isinstance(rival.source, Memory)),
        key=lambda rival: rival.score,
    )
    return entry is best or entry.source.best.fit >= OWN * floors.talk


def _floor(entry: ScoredEntry, floors: Floors) -> float:
    """Return the worth from which on an entry is told."""
    if isinstance(entry.source, Memory):
        return floors.rule if entry.applies_unasked else floors.memory
    return floors.talk


def _near_best(entries: Sequence[ScoredEntry]) -> list[ScoredEntry]:
    """Leave out what is far behind the best: beside a good answer a fair one is noise. What nobody confirmed is
    no better answer than a person's word."""
    best = max((entry.worth for entry in entries), default=0.0)
    best_stated = max((entry.worth for entry in entries if entry.stands), default=0.0)
    return [entry for entry in entries if entry.worth >= NEAR_BEST * (best_stated if entry.stands else best)]


def select(candidates: Sequence[ScoredEntry], limits: BriefLimits = HEALTHY_LIMITS) -> list[ScoredEntry]:
    """Return the best 15 without their lowest 30 %, of these so many memories and threads."""
    best = sorted(candidates, key=lambda candidate: -candidate.score)[: limits.best]
    top_candidates = best[: math.ceil(len(best) * (1 - DROPPED_SHARE))]
    memories = [entry for entry in top_candidates if isinstance(entry.source, Memory)][:MOST_CHOSEN]
    threads = [entry for entry in top_candidates if not isinstance(entry.source, Memory)][:MOST_THREADS]
    return [entry for entry in top_candidates if entry in memories or entry in threads]


def _rerank(entries: list[ScoredEntry], request: Request, reach: BriefSources) -> list[ScoredEntry]:
    """Let a reranker have its say on the best, where there is one."""
    reranker = reach.reranker
    if reranker is None or request.prompt is None or not entries:
        return entries
    best = sorted(entries, key=lambda entry: -entry.score)[: request.limits.best]
    from holdfast.recall.ranking import opinions_on  # most briefs have no reranker

    opinions = opinions_on([entry.text for entry in best], request.prompt.text, reranker)
    if opinions is None:
        return entries
    return [
        replace(entry, parts={**entry.parts, "rerank": 0.5 + opinion})
        for entry, opinion in zip(best, opinions, strict=True)
    ]


def each_once(entries: Sequence[ScoredEntry], conflicts: Sequence[Conflict]) -> list[ScoredEntry]:
    """Leave out what one that ranks higher says already; of what is in conflict, both sides are shown."""
    disputed_ids = {memory_id for conflict in conflicts for memory_id in (conflict.first, conflict.second)}
    distinct: list[ScoredEntry] = []
    for entry in entries:
        told_texts = [higher.text for higher in distinct]
        is_memory = isinstance(entry.source, Memory)
        if entry.id in disputed_ids or not (is_memory and repeats_any(entry.text, told_texts)):
            distinct.append(entry)
    return distinct
