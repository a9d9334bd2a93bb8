"""Near-duplicates become one memory: one stays with the sources of all, the others are its history.

Only what agents and tools said can become history here, never what a person said or had taken in, nor what upkeep
protects. Whatever was combined can be taken apart again: `reinstate` brings each back.
"""

from collections.abc import Sequence
from dataclasses import replace

from holdfast.capture.compare.same import say_the_same
from holdfast.capture.precedence import TRUST_RANK
from holdfast.capture.revise import retire
from holdfast.model.ids import time_of
from holdfast.model.kinds import AGENT, STATUSES, TOOL
from holdfast.model.limits import FILES, TAGS
from holdfast.model.memory import Memory
from holdfast.model.records import Event
from holdfast.model.upkeep import Merged
from holdfast.upkeep.round import Round, Steps

PAGE = 25
NEAR = 12
"""Entries that each one is compared with: those that share most of its topic."""

REACHED = "merged_to"
"""Under which name a store remembers how far it came: who was compared once need not be again."""

SETTLES_MS = 600_000
"""After so long no transaction that made a row is under way any more; a statement alone has half a minute."""


def combine(round_: Round) -> Steps:
    """Compare what came since the last round with what shares its topic, and combine what says the same."""
    if not round_.limits.merge:
        return
    upkeep = round_.store.upkeep
    reached = int(upkeep.fact(REACHED) or 0)
    history: set[str] = set()
    settles = True
    while page := upkeep.unmerged(reached, PAGE):
        reached = page[-1][0]
        clusters = _clusters(round_, [memory for _, memory in page if memory.id not in history], history)
        settled = settled_to(page, round_.now) if settles else None
        settles = settled == reached  # past a young row nothing is settled
        if not round_.dry:
            with round_.store.writing(round_.patience_ms):
                for cluster in clusters:
                    _write(round_, cluster)
                if settled:
                    upkeep.note(REACHED, settled)
        round_.ledger.merged += [_told(cluster) for cluster in clusters]
        yield len(page)


def settled_to(page: Sequence[tuple[int, Memory]], now: int) -> int | None:
    """Return the number of the last row of a page before which no other can appear any more, if there is one.

    On a server rows get their numbers before they are kept, and several writers keep theirs in any order: one that
    comes late has a lower number than what was read already. What is younger is compared again next time.
    """
    settled = None
    for number, memory in page:
        if now - SETTLES_MS < time_of(memory.id) <= now:
            break
        settled = number
    return settled


def _clusters(round_: Round, memories: Sequence[Memory], history: set[str]) -> list[list[Memory]]:
    """Return what says the same as one of these, the one that stays first; `history` gains the others."""
    clusters = []
    for project in dict.fromkeys(memory.project for memory in memories):
        mine = [memory for memory in memories if memory.project == project]
        near = round_.store.memories.akin(project, [one.content for one in mine], round_.now, NEAR)
        for memory, rivals in zip(mine, near, strict=True):
            if memory.id in history or not memory.current(round_.now):
                continue
            same = [one for one in rivals if one.id not in history and one.id != memory.id and _alike(memory, one)]
            cluster = _ordered(round_, [memory, *same])
            if len(cluster) > 1:
                history.update(one.id for one in cluster[1:])
                clusters.append(cluster)
    return clusters


def _alike(one: Memory, other: Memory) -> bool:
    return (one.kind, one.expires) == (other.kind, other.expires) and say_the_same(one.content, other.content)


def _ordered(round_: Round, memories: Sequence[Memory]) -> list[Memory]:
    """Return who stays and who becomes its history; who may not become history stays by itself."""
    kept = max(memories, key=_standing)
    return [kept, *(one for one in memories if one is not kept and _may_yield(round_, one))]


def _standing(memory: Memory) -> tuple[int, int, int, int]:
    """Rank by trust, status and use; among equals the one that was there first stays."""
    trust, status = TRUST_RANK.index(memory.trust), STATUSES.index(memory.status)
    return trust, status, memory.reads, -memory.created_at


def _may_yield(round_: Round, memory: Memory) -> bool:
    return memory.trust in (AGENT, TOOL) and not round_.protection.reason(memory)


def _write(round_: Round, cluster: Sequence[Memory]) -> None:
    """Combine a cluster, unless one of it changed since it was compared."""
    store, (kept, *others) = round_.store, cluster
    if store.memories.get([one.id for one in cluster]) != list(cluster):
        return
    stays = combined(kept, others, round_.now)
    ids = tuple(one.id for one in others)
    event = Event(
        action="supersede", actor=round_.actor, at=round_.now, ids=(*ids, kept.id), detail={"merged": len(ids)}
    )
    store.audit.record(event)
    for one in others:
        store.memories.replace(replace(retire(one, stays), updated_at=round_.now))
    store.memories.replace(stays)


def combined(kept: Memory, others: Sequence[Memory], now: int) -> Memory:
    """Return the memory that stays: its words, with everybody's sources, tags, files and highest importance."""
    every = (kept, *others)
    return replace(
        kept,
        importance=max(one.importance for one in every),
        sources=tuple(dict.fromkeys(source for one in every for source in one.sources)),
        tags=tuple(dict.fromkeys(tag for one in every for tag in one.tags))[:TAGS],
        files=tuple(dict.fromkeys(file for one in every for file in one.files))[:FILES],
        file_hashes={file: mark for one in reversed(every) for file, mark in one.file_hashes.items()},
        renewed_at=max(one.renewed_at for one in every),
        updated_at=now,
    )


def _told(cluster: Sequence[Memory]) -> Merged:
    kept, *others = cluster
    return Merged(kept=kept.id, title=kept.title, others=tuple(one.id for one in others))
