"""What a session is told when it starts, before anybody asked: rules about what is being worked on.

Warnings and decisions that touch files changed lately, or that were made on the branch that is checked out.
"""

from collections.abc import Collection

from holdfast.model.kinds import TOOL
from holdfast.model.memory import Memory
from holdfast.model.search import Filters
from holdfast.recall.brief.request import Reach, Request
from holdfast.recall.brief.scoring import Chosen
from holdfast.recall.brief.selection import select
from holdfast.recall.brief.weights import SAME_FILE, Scene, memory_parts

KINDS = ("warning", "decision", "preference", "architecture")
LOOKED_AT = 200
MAIN_BRANCHES = frozenset(("main", "master", "trunk", "default", "develop"))
"""Branches that everything ends up on: to be on one of them says nothing about what is being worked on."""


def touching(request: Request, reach: Reach, but: Collection[str]) -> list[Chosen]:
    """Return the rules that have to do with what is being worked on, best first."""
    filters = Filters(kinds=KINDS, current_at=request.scene.now)
    memories = [one for store in reach.stores for one in store.memories.newest(filters, LOOKED_AT)]
    memories = [one for one in memories if one.trust != TOOL and one.id not in but]
    named = list(dict.fromkeys(file for memory in memories for file in memory.files))
    scene = Scene(request.scene.now, (*request.scene.files, *reach.recent(named)))
    return select(
        [_chosen(one, scene) for one in memories if _touches(one, scene, request.branch)], request.limits
    )


def _touches(memory: Memory, scene: Scene, branch: str | None) -> bool:
    here = branch is not None and branch not in MAIN_BRANCHES and memory.branch == branch
    return here or memory_parts(memory, scene)["files"] >= SAME_FILE


def _chosen(memory: Memory, scene: Scene) -> Chosen:
    parts = {"relevance": memory.importance, **memory_parts(memory, scene)}
    return Chosen(memory, parts)
