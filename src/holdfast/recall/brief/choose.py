"""From candidates to what goes into a brief: above the floor, current, reranked, selected, each thing once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from holdfast.errors import StoreSlow
from holdfast.model.kinds import CANDIDATE, PINNED
from holdfast.model.memory import Conflict, Memory
from holdfast.recall.brief.account import HEALTHY_LIMITS, Account, BriefLimits
from holdfast.recall.brief.amendments import amendment, says_all
from holdfast.recall.brief.candidates import (
    RelevantMemory,
    ScoredEntry,
    last_words,
    overruled_by_agents,
    score_memory,
    score_turn,
    statement_of,
    statement_of_memory,
    utterance_statuses,
)
from holdfast.recall.brief.evidence import AmendmentLead, Utterance, find_later
from holdfast.recall.brief.relevance import Floors
from holdfast.recall.brief.request import BriefSources, Request

if TYPE_CHECKING:
    from holdfast.ports import Reranker, Store


class Scored(Protocol):
    """What can be chosen."""

    @property
    def score(self) -> float: ...
    @property
    def session(self) -> str | None: ...


Item = TypeVar("Item", bound=Scored)

FOLLOWED_SESSIONS = 1
"""Sessions whose later amendments are looked for."""

MOST_FOLLOWED = 2
"""Sessions and memories together whose later amendments are looked for."""

NEAR_BEST = 0.4
"""The share of the best entry's worth below which another is noise beside it."""

DROPPED_SHARE = 0.3
"""The share of the best that is left out for its low score."""

FROM_ONE_SESSION = 2
"""Entries that one session may have."""

MOST_CHOSEN = 5
"""Entries that are told about a prompt."""


class Choice(Struct, frozen=True):
    """What a brief tells about a prompt, best first."""

    entries: Sequence[ScoredEntry]
    cut: bool = False
    """Whether time was too short to look for later amendments."""


def choose(
    request: Request,
    reach: BriefSources,
    memories: Sequence[RelevantMemory],
    evidence: Sequence[Utterance],
    floors: Floors,
) -> Choice:
    """Choose what a brief tells about a prompt; nothing where nothing is relevant."""
    scene = request.scene
    scored_memories = [score_memory(memory, scene) for memory in memories]
    relevant_memories = [
        entry
        for entry in scored_memories
        if entry.worth >= (floors.rule if entry.applies_unasked else floors.memory)
    ]
    strong = [
        utterance
        for utterance in evidence
        if utterance.settles and score_turn(utterance, scene).worth >= floors.talk
    ]
    if request.account:
        settled = [score_turn(utterance, scene) for utterance in evidence if utterance.settles]
        told_turns = [score_turn(utterance, scene) for utterance in strong]
        request.account.leave(
            [*scored_memories, *settled], [*relevant_memories, *told_turns], request.account.IRRELEVANT
        )
    if not strong and not relevant_memories:
        return Choice([])
    conclusions = last_words(evidence)
    strong_conclusions = [utterance for utterance in conclusions if utterance in strong]
    later, timed_out = _find_amendments(evidence, strong_conclusions, relevant_memories, request, reach.stores[0])
    current_utterances = _current([*last_words(later), *conclusions], strong_conclusions, evidence, request)
    holding = [entry for entry in relevant_memories if _holds_still(entry, current_utterances)]
    current_entries = [*holding, *(score_turn(utterance, scene) for utterance in current_utterances)]
    best_entries = _near_best(current_entries)
    selection = select(_rerank(best_entries, request, reach.reranker), request.limits)
    if request.account:
        strong_entries = [*relevant_memories, *(score_turn(utterance, scene) for utterance in strong)]
        request.account.leave(strong_entries, current_entries, request.account.OUTDATED)
        _account_selection(request.account, current_entries, best_entries, selection)
    return Choice(selection, timed_out)


def _account_selection(
    account: Account,
    current_entries: Sequence[ScoredEntry],
    best_entries: Sequence[ScoredEntry],
    selection: Sequence[ScoredEntry],
) -> None:
    """Note what others were preferred to."""
    account.leave(current_entries, best_entries, account.WEAKER)
    full_sessions = {
        entry.session
        for entry in selection
        if sum(peer.session == entry.session for peer in selection) >= FROM_ONE_SESSION
    }
    crowded = [entry for entry in best_entries if entry.session is not None and entry.session in full_sessions]
    account.leave(crowded, selection, account.SAME_SESSION)
    account.leave(best_entries, selection, account.WEAKER)


def _near_best(entries: Sequence[ScoredEntry]) -> list[ScoredEntry]:
    """Leave out what is far behind the best: beside a good answer a fair one is noise. What nobody confirmed is
    no better answer than a person's word."""
    best = max((entry.worth for entry in entries), default=0.0)
    best_stated = max((entry.worth for entry in entries if entry.stands), default=0.0)
    return [entry for entry in entries if entry.worth >= NEAR_BEST * (best_stated if entry.stands else best)]


def select(candidates: Sequence[Item], limits: BriefLimits = HEALTHY_LIMITS) -> list[Item]:
    """Return the best 15 without their lowest 30 %, at most 2 of one session, and of these the best 5."""
    best = sorted(candidates, key=lambda candidate: -candidate.score)[: limits.best]
    top_candidates = best[: math.ceil(len(best) * (1 - DROPPED_SHARE))]
    selection: list[Item] = []
    for candidate in top_candidates:
        if (
            candidate.session is None
            or sum(peer.session == candidate.session for peer in selection) < FROM_ONE_SESSION
        ):
            selection.append(candidate)
    return selection[:MOST_CHOSEN]


def _current(
    conclusions: Sequence[Utterance],
    strong_conclusions: Sequence[Utterance],
    evidence: Sequence[Utterance],
    request: Request,
) -> list[Utterance]:
    """Return what counts of what was settled and no later session amended, and how the best session ended."""
    statuses = utterance_statuses(list({utterance.turn.id: utterance for utterance in conclusions}.values()))
    amending = {status.amended_by.turn.id for status in statuses if status.amended_by}
    counting = {utterance.turn.id for utterance in strong_conclusions} | amending
    current = [status.evidence for status in statuses if status.amended_by is None]
    counting |= {
        utterance.turn.id
        for utterance in overruled_by_agents(
            current, [conclusion for conclusion in strong_conclusions if not conclusion.by_person]
        )
    }
    holding = {utterance.turn.id for utterance in current}
    valid_evidence = [utterance for utterance in evidence if not utterance.settles or utterance.turn.id in holding]
    return _with_ending(
        [utterance for utterance in current if utterance.turn.id in counting], valid_evidence, request
    )


def _find_amendments(
    evidence: Iterable[Utterance],
    strong_conclusions: Sequence[Utterance],
    relevant_memories: Sequence[ScoredEntry],
    request: Request,
    store: Store,
) -> tuple[list[Utterance], bool]:
    """Look for what was said later about what was found: it may have changed, in words the prompt does not
    hold. Say, too, whether there was no time for all of it."""
    known_sessions = {utterance.turn.session for utterance in evidence} | {request.session or ""}
    best = {
        utterance.turn.session: utterance
        for utterance in sorted(strong_conclusions, key=lambda conclusion: conclusion.relevance)
    }
    leads = [
        AmendmentLead(statement_of(utterance), utterance.relevance, utterance.cosine)
        for utterance in list(best.values())[-FOLLOWED_SESSIONS:]
    ]
    leads += [
        AmendmentLead(statement_of_memory(entry.source), entry.parts["relevance"])
        for entry in relevant_memories
        if isinstance(entry.source, Memory) and entry.session not in best
    ]
    later: list[Utterance] = []
    try:
        for lead in leads[:MOST_FOLLOWED]:
            later += find_later(lead, store, known_sessions | {lead.statement.session or ""}, request.vector)
    except StoreSlow:
        return later, True
    return later, False


def _with_ending(utterances: list[Utterance], evidence: Iterable[Utterance], request: Request) -> list[Utterance]:
    """Let the best session be told by what it settled and by how it ended: a recap, or the last rule with its
    reason."""
    if not utterances:
        return utterances
    best = max(utterances, key=lambda utterance: score_turn(utterance, request.scene).score)
    session = best.turn.session
    ending = [utterance for utterance in evidence if utterance.closing and utterance.turn.session == session]
    if not ending:
        return utterances
    other_sessions = [utterance for utterance in utterances if utterance.turn.session != session]
    ending_by_turn = {utterance.turn.id: utterance for utterance in (best, *ending)}
    return [*other_sessions, *ending_by_turn.values()]


def _holds_still(entry: ScoredEntry, utterances: Sequence[Utterance]) -> bool:
    """Say whether a memory still holds: one that nobody confirmed goes where something said later says it anew,
    any other where a person announces the change and names the other number."""
    if not isinstance(entry.source, Memory) or entry.source.status == PINNED:
        return True
    words, is_candidate = statement_of_memory(entry.source), entry.source.status == CANDIDATE
    newer = (
        utterance for utterance in utterances if utterance.settles and utterance.turn.session != entry.session
    )
    changes = (amendment(statement_of(utterance), words) for utterance in newer)
    return not any(change and change.whole and (is_candidate or change.certain) for change in changes)


def _rerank(entries: list[ScoredEntry], request: Request, reranker: Reranker | None) -> list[ScoredEntry]:
    """Let a reranker have its say on the best, where there is one."""
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
    distinct_entries: list[ScoredEntry] = []
    for entry in entries:
        if entry.id in disputed_ids or not any(
            says_all(higher_entry.text, entry.text) for higher_entry in distinct_entries
        ):
            distinct_entries.append(entry)
    return distinct_entries
