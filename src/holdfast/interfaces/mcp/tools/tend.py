"""Tending: stats counts, prune deletes what is old."""

from holdfast.errors import SwitchedOff
from holdfast.interfaces.mcp import catalogue, texts
from holdfast.interfaces.mcp.arguments import PruneArguments, StatsArguments
from holdfast.interfaces.mcp.results import PruneResult, StatsResult
from holdfast.interfaces.mcp.tools.tool import READS, Hints, Tool
from holdfast.model.records import EmbeddingState, Stats
from holdfast.model.token import ADMIN, READ
from holdfast.service.service import Service

SHOWN = 50
"""How many ids a prune names."""


def stats(service: Service, _: StatsArguments) -> StatsResult:
    """Count what there is."""
    found = service.stats()
    counts, embedding = found.counts, found.embedding
    return StatsResult(
        project=found.project.project,
        memories=counts.memories,
        superseded=counts.superseded,
        expired=counts.expired,
        faded=counts.faded,
        conflicts=counts.conflicts,
        by_kind=dict(counts.by_kind),
        by_status=dict(counts.by_status),
        by_trust=dict(counts.by_trust),
        user_memories=found.user_counts.memories if found.user_counts else 0,
        sessions=counts.sessions,
        turns=counts.turns,
        reads=counts.reads,
        bytes=found.project.bytes,
        model=embedding.kept or embedding.model if embedding else None,
        waiting=sum(embedding.waiting.values()) if embedding else 0,
        problems=tuple(_problems(service, found, embedding)),
    )


def _problems(service: Service, found: Stats, embedding: EmbeddingState | None) -> list[str]:
    said = [_off(service), found.project.read_only, found.user_error, found.upkeep and found.upkeep.warning]
    said += [embedding.problem, embedding.notice] if embedding else []
    if found.ignored_settings:
        said.append(f"not obeyed from this repository's settings: {', '.join(found.ignored_settings)}")
    return [one for one in said if one]


def _off(service: Service) -> str | None:
    try:
        service.check_on()
    except SwitchedOff as error:
        return str(error)
    return None


def prune(service: Service, asked: PruneArguments) -> PruneResult:
    """Show, or with `confirm` delete, what is old."""
    went = service.prune(
        days=asked.days, max_score=asked.max_score, source=asked.source, dry_run=not asked.confirm
    )
    ids = tuple(one[-8:] for one in went.ids[:SHOWN])
    return PruneResult(deleted=asked.confirm, count=len(went.ids), ids=ids)


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
