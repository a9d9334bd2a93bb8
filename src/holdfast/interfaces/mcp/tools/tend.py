"""Tending: stats counts, prune deletes what is old."""

from holdfast.errors import SwitchedOff
from holdfast.interfaces.arguments import request_of
from holdfast.interfaces.mcp import catalogue, texts
from holdfast.interfaces.mcp.arguments import PruneArguments, StatsArguments
from holdfast.interfaces.mcp.errors import for_agent
from holdfast.interfaces.mcp.results import PruneResult, StatsResult
from holdfast.interfaces.mcp.tools.tool import READS, Hints, Tool
from holdfast.model.actor import ADMIN, READ
from holdfast.model.records import EmbeddingState, Stats
from holdfast.model.requests import PruneRequest
from holdfast.service.service import Service

MOST_SHOWN = 50
"""How many ids a prune names."""


def stats(service: Service, _: StatsArguments) -> StatsResult:
    """Count what there is."""
    store_stats = service.stats()
    counts, embedding = store_stats.counts, store_stats.embedding
    return StatsResult(
        project=store_stats.project.project,
        memories=counts.memories,
        superseded=counts.superseded,
        expired=counts.expired,
        faded=counts.faded,
        conflicts=counts.conflicts,
        by_kind=dict(counts.by_kind),
        by_status=dict(counts.by_status),
        by_trust=dict(counts.by_trust),
        user_memories=store_stats.user_counts.memories if store_stats.user_counts else 0,
        sessions=counts.sessions,
        turns=counts.turns,
        reads=counts.reads,
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


def prune(service: Service, arguments: PruneArguments) -> PruneResult:
    """Show, or with `confirm` delete, what is old."""
    went = service.prune(request_of(PruneRequest, arguments, dry_run=not arguments.confirm))
    ids = tuple(memory_id[-8:] for memory_id in went.ids[:MOST_SHOWN])
    return PruneResult(deleted=arguments.confirm, count=len(went.ids), ids=ids)


TOOLS = (
    Tool(
        name=catalogue.PRUNE,
        verb="prune",
        scope=ADMIN,
        description="Show what is old and unused; confirm=true deletes it.",
        arguments=PruneArguments,
        result=PruneResult,
        hints=Hints(destructive=True, idempotent=True),
        act=prune,
        text=texts.pruned,
    ),
    Tool(
        name=catalogue.STATS,
        verb="stats",
        description="How much is remembered, and whether anything is wrong.",
        arguments=StatsArguments,
        result=StatsResult,
        hints=READS,
        scope=READ,
        act=stats,
        text=texts.stats,
    ),
)
