"""Near-duplicates become one memory: one stays with the sources of all, the others are its history.

Only what agents and tools said can become history here, never what a person said or had taken in, nor what upkeep
protects. Whatever was combined can be taken apart again: `reinstate` brings each back.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from holdfast.capture.precedence import TRUST_RANK, retire
from holdfast.capture.relations import say_the_same
from holdfast.model.ids import time_of
from holdfast.model.kinds import AGENT, STATUSES, TOOL
from holdfast.model.limits import FILES, TAGS
from holdfast.model.memory import Memory
from holdfast.model.records import Event
from holdfast.model.upkeep import Merged
from holdfast.upkeep.round import Round, Steps

PAGE = 25
MOST_RIVALS = 12
"""Entries that each one is compared with: those that share most of its topic."""

PROGRESS_FACT = "merged_to"
"""Under which name a store remembers how far it came: who was compared once need not be again."""

SETTLES_MS = 600_000
"""After so long no transaction that made a row is under way any more; a statement alone has half a minute."""


def combine(round_: Round) -> Steps:
    """Compare what came since the last round with what shares its topic, and combine what says the same."""
    if not round_.limits.merge:
        return
    upkeep = round_.store.upkeep
    last_number = int(upkeep.fact(PROGRESS_FACT) or 0)
    history: set[str] = set()
    settles = True
    while page := upkeep.unmerged(last_number, PAGE):
        last_number = page[-1][0]
        clusters = _clusters(round_, [memory for _, memory in page if memory.id not in history], history)
        settled_number = settled_to(page, round_.now) if settles else None
        settles = settled_number == last_number  # past a young row nothing is settled
        if not round_.dry:
            with round_.store.writing(round_.patience_ms):
                for cluster in clusters:
                    _write(round_, cluster)
                if settled_number:
                    upkeep.note(PROGRESS_FACT, settled_number)
        round_.ledger.merged += [_merge_report(cluster) for cluster in clusters]
        yield len(page)


def settled_to(page: Sequence[tuple[int, Memory]], now: int) -> int | None:
    """Return the number of the last row of a page before which no other can appear any more, if there is one.

    On a server rows get their numbers before they are kept, and several writers keep theirs in any order: one that
    comes late has a lower number than what was read already. What is younger is compared again next time.
    """
    settled_number = None
    for number, memory in page:
        if now - SETTLES_MS < time_of(memory.id) <= now:
            break
        settled_number = number
    return settled_number


def _clusters(round_: Round, memories: Sequence[Memory], history: set[str]) -> list[list[Memory]]:
    """Return what says the same as one of these, the one that stays first; `history` gains the others."""
    clusters = []
    for project in dict.fromkeys(memory.project for memory in memories):
        project_memories = [memory for memory in memories if memory.project == project]
        rivals_of_each = round_.store.memories.akin(
            project, [memory.content for memory in project_memories], round_.now, MOST_RIVALS
        )
        for memory, rivals in zip(project_memories, rivals_of_each, strict=True):
            if memory.id in history or not memory.current(round_.now):
                continue
            duplicates = [
                rival
                for rival in rivals
                if rival.id not in history and rival.id != memory.id and _alike(memory, rival)
            ]
            cluster = _survivor_first(round_, [memory, *duplicates])
            if len(cluster) > 1:
                history.update(duplicate.id for duplicate in cluster[1:])
                clusters.append(cluster)
    return clusters


def _alike(first: Memory, second: Memory) -> bool:
    return (first.kind, first.expires) == (second.kind, second.expires) and say_the_same(
        first.content, second.content
    )


def _survivor_first(round_: Round, memories: Sequence[Memory]) -> list[Memory]:
    """Return who stays and who becomes its history; who may not become history stays by itself."""
    survivor = max(memories, key=_rank)
    return [survivor, *(memory for memory in memories if memory is not survivor and _may_yield(round_, memory))]


def _rank(memory: Memory) -> tuple[int, int, int, int]:
    """Rank by trust, status and use; among equals the one that was there first stays."""
    trust, status = TRUST_RANK.index(memory.trust), STATUSES.index(memory.status)
    return trust, status, memory.reads, -memory.created_at


def _may_yield(round_: Round, memory: Memory) -> bool:
    return memory.trust in (AGENT, TOOL) and not round_.protection.reason(memory)


def _write(round_: Round, cluster: Sequence[Memory]) -> None:
    """Combine a cluster, unless one of it changed since it was compared."""
    store, (survivor, *duplicates) = round_.store, cluster
    if store.memories.get([memory.id for memory in cluster]) != list(cluster):
        return
    stays = combined_memory(survivor, duplicates, round_.now)
    ids = tuple(duplicate.id for duplicate in duplicates)
    event = Event(
        action="supersede", actor=round_.actor, at=round_.now, ids=(*ids, survivor.id), detail={"merged": len(ids)}
    )
    store.audit.record(event)
    for duplicate in duplicates:
        store.memories.replace(replace(retire(duplicate, stays), updated_at=round_.now))
    store.memories.replace(stays)


def combined_memory(survivor: Memory, duplicates: Sequence[Memory], now: int) -> Memory:
    """Return the memory that stays: its words, with everybody's sources, tags, files and highest importance."""
    every = (survivor, *duplicates)
    return replace(
        survivor,
        importance=max(memory.importance for memory in every),
        sources=tuple(dict.fromkeys(source for memory in every for source in memory.sources)),
        tags=tuple(dict.fromkeys(tag for memory in every for tag in memory.tags))[:TAGS],
        files=tuple(dict.fromkeys(file for memory in every for file in memory.files))[:FILES],
        file_hashes={file: mark for memory in reversed(every) for file, mark in memory.file_hashes.items()},
        renewed_at=max(memory.renewed_at for memory in every),
        updated_at=now,
    )


def _merge_report(cluster: Sequence[Memory]) -> Merged:
    survivor, *duplicates = cluster
    return Merged(kept=survivor.id, title=survivor.title, others=tuple(duplicate.id for duplicate in duplicates))
