"""Looking: search (titles), timeline (what was around), get (full text), recall (both at once)."""

from collections.abc import Sequence

from holdfast.interfaces.arguments import request_of
from holdfast.interfaces.mcp import catalogue, texts
from holdfast.interfaces.mcp.arguments import GetArguments, RecallArguments, SearchArguments, TimelineArguments
from holdfast.interfaces.mcp.results import (
    FullMemory,
    HitLine,
    MemoriesResult,
    SearchResult,
    TimelineLine,
    TimelineResult,
)
from holdfast.interfaces.mcp.tools.tool import READS, Tool
from holdfast.model.actor import READ
from holdfast.model.kinds import KINDS
from holdfast.model.memory import Memory, TimelineEntry, clean, line
from holdfast.model.requests import SearchRequest
from holdfast.model.search import Hit
from holdfast.model.session import Quote
from holdfast.model.times import day
from holdfast.model.value import replace
from holdfast.recall.hits import MARK, snippet
from holdfast.service.service import Service
from holdfast.text.terms import terms_of

QUOTED_CHARS = 1_200
"""Characters of something said that a recall shows; `memory_get` shows all of it."""


def search(service: Service, arguments: SearchArguments) -> SearchResult:
    """Layer 1: titles and scores."""
    hits = service.search(request_of(SearchRequest, arguments))
    return SearchResult(
        hits=tuple(_hit_line(service, hit) for hit in hits), conflicts=conflicts(service, [hit.id for hit in hits])
    )


def timeline(service: Service, arguments: TimelineArguments) -> TimelineResult:
    """Layer 2: what was remembered around a memory."""
    entries = service.timeline(arguments.id, arguments.window)
    return TimelineResult(entries=tuple(_entry(service, entry) for entry in entries))


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


def recall(service: Service, arguments: RecallArguments) -> MemoriesResult:
    """Find and show in full. Nobody asked for these by name, so it is no read."""
    hits = service.recall(request_of(SearchRequest, arguments, limit=arguments.k))
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
    return FullMemory(
        id=service.short_id(memory.id),
        kind=memory.kind,
        title=line(memory.title),
        content=clean(memory.content),
        date=day(memory.created_at),
        trust=memory.trust,
        status=memory.status,
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
    return HitLine(
        id=service.short_id(hit.id) if is_memory else hit.id[-8:],
        title=line(hit.title),
        kind=hit.kind,
        score=round(hit.score, 2),
        date=day(hit.created_at),
        trust=hit.trust,
        source=line(hit.source),
        status=hit.status,
        session=service.short_session_id(hit.session) if hit.session and not is_memory else None,
        snippet=_beyond_title(hit),
    )


def _beyond_title(hit: Hit) -> str | None:
    """Return what a hit shows beside its title: an agent pays for every word of it."""
    file = hit.file if hit.file and hit.file not in hit.title else ""
    begins = hit.snippet.replace(MARK, "").startswith(hit.title.rstrip("…"))
    return line(": ".join(filter(None, (file, "" if begins else hit.snippet)))) or None


def _entry(service: Service, entry: TimelineEntry) -> TimelineLine:
    return TimelineLine(
        id=service.short_id(entry.id),
        title=line(entry.title),
        kind=entry.kind,
        date=day(entry.created_at),
        trust=entry.trust,
        status=entry.status,
        excerpt=line(entry.excerpt),
        anchor=entry.anchor or None,
    )


TOOLS = (
    Tool(
        name=catalogue.SEARCH,
        verb="search",
        description="Find memories and what was said. Read what matters with memory_get.",
        arguments=SearchArguments,
        result=SearchResult,
        hints=READS,
        scope=READ,
        act=search,
        text=texts.search,
    ),
    Tool(
        name=catalogue.TIMELINE,
        verb="timeline",
        description="What was remembered around a memory, in short.",
        arguments=TimelineArguments,
        result=TimelineResult,
        hints=READS,
        scope=READ,
        act=timeline,
        text=texts.timeline,
    ),
    Tool(
        name=catalogue.GET,
        verb="get",
        description="What has these ids, in full.",
        arguments=GetArguments,
        result=MemoriesResult,
        hints=READS,
        scope=READ,
        act=get,
        text=texts.memories,
    ),
    Tool(
        name=catalogue.RECALL,
        verb="search",
        description="What fits a question best, in full.",
        arguments=RecallArguments,
        result=MemoriesResult,
        hints=READS,
        scope=READ,
        act=recall,
        text=texts.memories,
    ),
)
