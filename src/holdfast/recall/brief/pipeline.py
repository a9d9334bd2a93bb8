"""The one pipeline of a brief: what is looked for, in which order, and what becomes of it.

At a session's start: rules → what was surely said → subjects → how the last session ended. On a prompt: analyse →
candidates (memories, threads) → score → floor → rerank → select → conflicts → each thing once → marks → budget →
text. Each step is a module of its own; this one puts them in order and watches the time. It reads the stores
through their ports and writes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

from msgspec import Struct, field

from holdfast.errors import StoreSlow
from holdfast.model.kinds import AGENT, PINNED, USER
from holdfast.model.limits import PINS
from holdfast.model.memory import Conflict, Memory
from holdfast.model.search import Filters
from holdfast.recall.brief.budget import allocate, allocate_start, estimate
from holdfast.recall.brief.candidates import RelevantMemory, ScoredEntry, find_memories
from holdfast.recall.brief.choose import choose, each_once
from holdfast.recall.brief.fill import FilledPage, Piece, fill
from holdfast.recall.brief.notes import relevant_notes
from holdfast.recall.brief.once import repeats_any, unrepeated_memories, unrepeated_summaries
from holdfast.recall.brief.parts import BriefContent, parts_of, rules_of, start_memories, subjects_line
from holdfast.recall.brief.prompt import Prompt
from holdfast.recall.brief.relevance import FLOORS, LATER, Floors
from holdfast.recall.brief.render import AT_START, ON_PROMPT, alone
from holdfast.recall.brief.request import BriefSources, Request
from holdfast.recall.brief.threads import BriefSearch, RelevantThread, find_threads

if TYPE_CHECKING:
    from holdfast.ports import Store


class MadeBrief(Struct, frozen=True):
    """A brief, and what has to be known about its making."""

    filled: FilledPage
    conflicts: tuple[Conflict, ...] = ()
    cut: bool = False
    shares: Mapping[str, int] = field(default_factory=dict)
    """What each tier was allowed, in order."""


def make_brief(request: Request, reach: BriefSources) -> MadeBrief:
    """Make the brief for a prompt or, without one, for the start of a session."""
    pinned_memories = _pinned_memories(reach.stores, request.scene.now)
    if request.prompt is None:
        return _start_brief(request, reach, pinned_memories)
    return _prompt_brief(request, request.prompt, reach, pinned_memories)


def _start_brief(request: Request, reach: BriefSources, pinned_memories: Sequence[Memory]) -> MadeBrief:
    start = start_memories(request, reach)
    rules = unrepeated_memories(start.rules, pinned_memories)
    said = unrepeated_memories(start.said, (*pinned_memories, *rules))
    memories = (*pinned_memories, *rules, *said)
    conflicts = reach.conflicts([memory.id for memory in memories])
    bridge = relevant_notes(request.bridge, None, request.scene.files, [])
    told_texts = [*(memory.content for memory in memories), *(note.text for note in bridge)]
    summaries = unrepeated_summaries(reach.summaries(), told_texts)
    content = BriefContent(pinned_memories, (), bridge, summaries, conflicts, said, subjects=start.subjects)
    shares, parts = allocate_start(request.page.total), parts_of(content, request, reach)
    brief_rules = rules_of(rules, request, reach, content)
    filled_page = fill(
        request.page,
        shares,
        parts,
        rules=brief_rules,
        conflicts=[conflict.marker for conflict in conflicts],
        request=AT_START if request.nudge else "",
        subjects=subjects_line(reach),
    )
    _account_room(request, [*brief_rules.pieces, *(piece for part in parts for piece in part.pieces)], filled_page)
    return MadeBrief(filled_page, tuple(conflicts), shares=shares)


def _prompt_brief(
    request: Request, prompt: Prompt, reach: BriefSources, pinned_memories: Sequence[Memory]
) -> MadeBrief:
    always = {memory.id for memory in pinned_memories}
    entries, timed_out = _choose_entries(request, prompt, reach, always)
    conflicts = reach.conflicts([*always, *(entry.id for entry in entries if isinstance(entry.source, Memory))])
    pinned_texts = [memory.content for memory in pinned_memories]
    unpinned_entries = [entry for entry in entries if not repeats_any(entry.text, pinned_texts)]
    distinct_entries = each_once(unpinned_entries, conflicts)
    if request.account:
        request.account.leave(entries, distinct_entries, request.account.REPEATED)
    entries = distinct_entries
    bridge = relevant_notes(request.bridge, prompt, request.scene.files, [entry.text for entry in entries])
    content = BriefContent(pinned_memories, entries, bridge, (), conflicts)
    shares, parts = allocate(request.page.total), parts_of(content, request, reach)
    filled_page = fill(
        request.page,
        shares,
        parts,
        conflicts=[conflict.marker for conflict in conflicts],
        request=ON_PROMPT if request.nudge else "",
    )
    _account_room(request, [piece for part in parts for piece in part.pieces], filled_page)
    if request.nudge and not filled_page.text:
        page = request.page
        text = alone(page.style, page.nonce, page.total)
        filled_page = FilledPage(text, estimate(text), ())
    return MadeBrief(filled_page, tuple(conflicts), timed_out, shares)


def _account_room(request: Request, pieces: Sequence[Piece], filled_page: FilledPage) -> None:
    """Note what there was no room for."""
    if request.account:
        told_ids = {item.id for item in filled_page.items}
        request.account.leave_items(
            [piece.item for piece in pieces if piece.item.id not in told_ids], request.account.BUDGET
        )


def _choose_entries(
    request: Request, prompt: Prompt, reach: BriefSources, always: set[str]
) -> tuple[Sequence[ScoredEntry], bool]:
    """Return what is told about a prompt, and whether time cut the looking short."""
    floors = FLOORS.get(prompt.intent)
    if floors is None:
        return [], False
    floors = floors.raised(LATER) if request.later else floors
    memories, threads, timed_out = _candidates(request, prompt, reach, floors)
    other_memories = [candidate for candidate in memories if candidate.memory.id not in always]
    return choose(request, reach, other_memories, threads, floors), timed_out


def _candidates(
    request: Request, prompt: Prompt, reach: BriefSources, floors: Floors
) -> tuple[list[RelevantMemory], list[RelevantThread], bool]:
    """Look for memories, then for threads, while there is time; what was found by then is what there is."""
    memories: list[RelevantMemory] = []
    search = BriefSearch(
        terms=prompt.terms,
        vector=request.vector,
        aliases=request.aliases,
        but=frozenset((request.session,) if request.session else ()),
        names=prompt.names,
        floors=floors,
        most=request.limits.candidates,
    )
    try:
        with ExitStack() as stack:
            for store in reach.stores:
                stack.enter_context(store.reading(request.limit_ms))
            memories = find_memories(search, reach.stores, request.scene.now)
            return memories, find_threads(search, reach.stores[0], request.scene.now), False
    except StoreSlow:
        return memories, [], True


def _pinned_memories(stores: Sequence[Store], now: int) -> list[Memory]:
    """Return what every brief carries. What came from files or the web stays out, whoever pinned it."""
    filters = Filters(statuses=(PINNED,), current_at=now)
    memories = [memory for store in stores for memory in store.memories.newest(filters, PINS)]
    return [memory for memory in memories if memory.trust in (USER, AGENT)][:PINS]
