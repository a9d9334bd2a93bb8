"""The tools: search, timeline, get and recall find and read; add, update and delete write; prune and stats tend.

What an agent says has an agent's trust, and what it asks for of the user's own becomes a proposal.
"""

from collections.abc import Sequence
from typing import assert_never

from msgspec.structs import replace

from holdfast.errors import InvalidInput, Proposed, SwitchedOff
from holdfast.interfaces.mcp.errors import for_agent
from holdfast.interfaces.mcp.tool import Tool, tool
from holdfast.interfaces.mcp.values import (
    EDITABLE,
    AddArguments,
    AddResult,
    DeleteArguments,
    DeleteResult,
    FullMemory,
    GetArguments,
    HitLine,
    MemoriesResult,
    PruneArguments,
    PruneResult,
    RecallArguments,
    SearchArguments,
    SearchResult,
    StatsArguments,
    StatsResult,
    TimelineArguments,
    TimelineLine,
    TimelineResult,
    UpdateArguments,
    UpdateResult,
)
from holdfast.model.actor import ADMIN, READ, WRITE
from holdfast.model.kinds import AGENT, KINDS
from holdfast.model.memory import BOTH, Memory, TimelineEntry, clean, line
from holdfast.model.plain import filled
from holdfast.model.records import EmbeddingState, Stats
from holdfast.model.requests import Changes, Draft, PruneRequest, SearchRequest
from holdfast.model.search import Hit
from holdfast.model.session import Quote
from holdfast.model.times import day
from holdfast.recall.hits import MARK, snippet
from holdfast.service.service import Service
from holdfast.text.words import terms_of

QUOTED_CHARS = 1_200
"""Characters of something said that a recall shows; `memory_get` shows all of it."""


@tool("Find memories and what was said. Read what matters with memory_get.", READ)
def search(service: Service, arguments: SearchArguments) -> SearchResult:
    """Layer 1: titles and scores."""
    hits = service.search(filled(SearchRequest, arguments))
    return SearchResult(
        hits=tuple(_hit_line(service, hit) for hit in hits), conflicts=conflicts(service, [hit.id for hit in hits])
    )


@tool("What was remembered around a memory, in short.", READ)
def timeline(service: Service, arguments: TimelineArguments) -> TimelineResult:
    """Layer 2: what was remembered around a memory."""
    entries = service.timeline(arguments.id, arguments.window)
    return TimelineResult(entries=tuple(_entry(service, entry) for entry in entries))


@tool("What has these ids, in full.", READ)
def get(service: Service, arguments: GetArguments) -> MemoriesResult:
    """Layer 3: full contents, counted as a read; ids that nothing has are named."""
    memories = service.get(arguments.ids)
    other_ids = [memory_id for memory_id in arguments.ids if service.peek(memory_id) is None]
    quotes_by_id = {memory_id: service.quotes([memory_id]) for memory_id in other_ids}
    return MemoriesResult(
        memories=tuple(full(service, memory) for memory in memories),
        quotes=tuple(_quote(service, quote) for quotes in quotes_by_id.values() for quote in quotes) or None,
        conflicts=conflicts(service, [memory.id for memory in memories]),
        unknown=tuple(line(memory_id) for memory_id in other_ids if not quotes_by_id[memory_id]) or None,
    )


def _quote(service: Service, quote: Quote) -> str:
    """Return something that was said or found, with where it was."""
    session = f", session {service.short_session_id(quote.session)}" if quote.session else ""
    became = f", memory {service.short_id(quote.memory)}" if quote.memory else ""
    head = f"{quote.kind} {quote.id.replace('-', '')[-8:]}, {day(quote.created_at)}"
    return f"{head}, {line(quote.role or '')}{session}{became}: {clean(quote.content)}"


@tool("What fits a question best, in full.", READ)
def recall(service: Service, arguments: RecallArguments) -> MemoriesResult:
    """Find and show in full. Nobody asked for these by name, so it is no read."""
    hits = service.recall(filled(SearchRequest, arguments, limit=arguments.k))
    scored_memories = [
        (memory, hit.score) for hit in hits if hit.kind in KINDS and (memory := service.peek(hit.id))
    ]
    quotes = service.quotes([hit.id for hit in hits if hit.kind not in KINDS])
    return MemoriesResult(
        memories=tuple(full(service, memory, score) for memory, score in scored_memories),
        quotes=tuple(_quote(service, _shortened(quote, arguments.query)) for quote in quotes) or None,
        conflicts=conflicts(service, [memory.id for memory, _ in scored_memories]),
    )


def _shortened(quote: Quote, query: str) -> Quote:
    """Return what was said as far as it is about a question: somebody may have pasted a whole log."""
    if len(quote.content) <= QUOTED_CHARS:
        return quote
    return replace(quote, content=snippet(quote.content, terms_of(query), QUOTED_CHARS))


def conflicts(service: Service, ids: Sequence[str]) -> tuple[str, ...] | None:
    """Return what disagrees with any of these, each with the id that settles it; None when nothing does."""
    open_conflicts = service.conflicts(ids) if ids else ()
    return tuple(f"{conflict.id[-8:]} {line(conflict.marker)}" for conflict in open_conflicts) or None


def full(service: Service, memory: Memory, score: float | None = None) -> FullMemory:
    """Return a memory as an agent reads it."""
    return filled(
        FullMemory,
        memory,
        id=service.short_id(memory.id),
        title=line(memory.title),
        content=clean(memory.content),
        date=day(memory.created_at),
        source=line(memory.source),
        importance=round(memory.importance, 2),
        score=None if score is None else round(score, 2),
        context=clean(memory.context) or None,
        tags=tuple(map(line, memory.tags)) or None,
        files=tuple(map(line, memory.files)) or None,
        branch=line(memory.branch) if memory.branch else None,
        expires=day(memory.expires) if memory.expires else None,
        superseded_by=service.short_id(memory.superseded_by) if memory.superseded_by else None,
    )


def _hit_line(service: Service, hit: Hit) -> HitLine:
    is_memory = hit.kind in KINDS
    return filled(
        HitLine,
        hit,
        id=service.short_id(hit.id) if is_memory else hit.id[-8:],
        title=line(hit.title),
        score=round(hit.score, 2),
        date=day(hit.created_at),
        source=line(hit.source),
        session=service.short_session_id(hit.session) if hit.session and not is_memory else None,
        snippet=_beyond_title(hit),
    )


def _beyond_title(hit: Hit) -> str | None:
    """Return what a hit shows beside its title: an agent pays for every word of it."""
    file = hit.file if hit.file and hit.file not in hit.title else ""
    begins = hit.snippet.replace(MARK, "").startswith(hit.title.rstrip("…"))
    return line(": ".join(filter(None, (file, "" if begins else hit.snippet)))) or None


def _entry(service: Service, entry: TimelineEntry) -> TimelineLine:
    return filled(
        TimelineLine,
        entry,
        id=service.short_id(entry.id),
        title=line(entry.title),
        date=day(entry.created_at),
        excerpt=line(entry.excerpt),
        anchor=entry.anchor or None,
    )


SOURCE = "mcp"
PROVEN = "proven: this is the user's word, confirmed"


@tool("Remember something for later sessions.", WRITE, creates=True)
def add(service: Service, arguments: AddArguments) -> AddResult:
    """Remember something."""
    result = service.add(filled(Draft, arguments, source=SOURCE, trust=AGENT))
    return filled(
        AddResult,
        result,
        id=service.short_id(result.id) if result.id else None,
        conflicts=conflicts(service, [result.id]) if result.id and result.conflicts else None,
        similar_to=tuple(map(service.short_id, result.similar_to)) or None,
        proposal=result.proposal[-8:] if result.proposal else None,
        quote=PROVEN if result.proven else f"unproven: it {result.unproven}" if result.unproven else None,
    )


@tool("Change a memory: edit, supersede, resolve. The user's own, pin and confirm: a proposal.", WRITE)
def update(service: Service, arguments: UpdateArguments) -> UpdateResult:
    """Change a memory, or how far it counts; what is the user's becomes a proposal."""
    try:
        return _apply_update(service, arguments)
    except Proposed as waits:
        return UpdateResult(**_proposal_facts(waits), id=str(waits.facts["id"]))


def _apply_update(service: Service, arguments: UpdateArguments) -> UpdateResult:
    match arguments.action:
        case "edit":
            return _update_result(service, _edit(service, arguments))
        case "pin":
            return _update_result(service, service.pin(arguments.id))
        case "unpin":
            return _update_result(service, service.unpin(arguments.id))
        case "confirm":
            return _update_result(service, service.confirm(arguments.id))
        case "supersede":
            return _update_result(service, service.supersede(arguments.id, _require("by", arguments.by)))
        case "reinstate":
            return _update_result(service, service.reinstate(arguments.id))
        case "resolve":
            return _resolve(service, arguments)
    assert_never(arguments.action)


@tool("Forget a memory for good, with its words in turns. The user's own: a proposal.", WRITE)
def delete(service: Service, arguments: DeleteArguments) -> DeleteResult:
    """Forget a memory for good; what is the user's becomes a proposal."""
    memory = service.peek(arguments.id)
    short = service.short_id(memory.id) if memory else arguments.id
    try:
        result = service.forget(arguments.id)
    except Proposed as waits:
        proposal_facts = _proposal_facts(waits)
        return DeleteResult(
            ids=(),
            account="nothing",
            pending=False,
            proposal=proposal_facts["proposal"],
            why=proposal_facts["why"],
        )
    backup_text = f"; {len(result.backups)} backups still hold it" if result.backups else ""
    return DeleteResult(ids=(short,), account=f"{result.account}{backup_text}", pending=result.pending)


def _proposal_facts(waits: Proposed) -> dict[str, str]:
    return {name: str(waits.facts[name]) for name in ("proposal", "why")}


def _edit(service: Service, arguments: UpdateArguments) -> Memory:
    changes = filled(Changes, arguments, trust=AGENT)
    if changes == Changes(trust=AGENT):
        raise InvalidInput(field="action", problem=f"edit needs one of {', '.join(EDITABLE)}.")
    return service.update(arguments.id, changes)


def _resolve(service: Service, arguments: UpdateArguments) -> UpdateResult:
    conflict = service.resolve(arguments.id, _require("keep", arguments.keep))
    kept_id = conflict.kept or BOTH
    return UpdateResult(id=conflict.id[-8:], kept=kept_id if kept_id == BOTH else service.short_id(kept_id))


def _require(field: str, value: str | None) -> str:
    if value is None:
        raise InvalidInput(field=field, problem="is needed for this action.")
    return value


def _update_result(service: Service, memory: Memory) -> UpdateResult:
    return filled(
        UpdateResult,
        memory,
        id=service.short_id(memory.id),
        title=line(memory.title),
        superseded_by=service.short_id(memory.superseded_by) if memory.superseded_by else None,
    )


MOST_SHOWN = 50
"""How many ids a prune names."""


@tool("How much is remembered, and whether anything is wrong.", READ)
def stats(service: Service, _: StatsArguments) -> StatsResult:
    """Count what there is."""
    store_stats = service.stats()
    counts, embedding = store_stats.counts, store_stats.embedding
    return filled(
        StatsResult,
        counts,
        project=store_stats.project.project,
        by_kind=dict(counts.by_kind),
        by_status=dict(counts.by_status),
        by_trust=dict(counts.by_trust),
        user_memories=store_stats.user_counts.memories if store_stats.user_counts else 0,
        bytes=store_stats.project.bytes,
        model=embedding.kept or embedding.model if embedding else None,
        waiting=sum(embedding.waiting.values()) if embedding else 0,
        problems=tuple(_problems(service, store_stats, embedding)),
    )


def _problems(service: Service, store_stats: Stats, embedding: EmbeddingState | None) -> list[str]:
    problems = [
        _off(service),
        store_stats.project.read_only,
        store_stats.user_error,
        store_stats.upkeep and store_stats.upkeep.warning,
    ]
    problems += [embedding.problem, embedding.notice] if embedding else []
    if store_stats.ignored_settings:
        problems.append(f"not obeyed from this repository's settings: {', '.join(store_stats.ignored_settings)}")
    return [for_agent(problem) for problem in problems if problem]


def _off(service: Service) -> str | None:
    try:
        service.check_on()
    except SwitchedOff as error:
        return str(error)
    return None


@tool("Show what is old and unused; confirm=true deletes it.", ADMIN)
def prune(service: Service, arguments: PruneArguments) -> PruneResult:
    """Show, or with `confirm` delete, what is old."""
    went = service.prune(filled(PruneRequest, arguments, dry_run=not arguments.confirm))
    ids = tuple(memory_id[-8:] for memory_id in went.ids[:MOST_SHOWN])
    return PruneResult(deleted=arguments.confirm, count=len(went.ids), ids=ids)


_EVERY = (search, timeline, get, add, recall, update, delete, prune, stats)


def tools(off: frozenset[str] = frozenset()) -> tuple[Tool, ...]:
    """Return the tools that are not switched off, in the order of the list."""
    return tuple(offered for offered in _EVERY if offered.name not in off)
