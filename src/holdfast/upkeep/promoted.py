"""The limit on memories that came from sessions by themselves: what weighs least by now goes first."""

import heapq

from holdfast.model.kinds import PROMOTED
from holdfast.model.memory import Memory
from holdfast.model.upkeep import PROMOTED_KEPT, TOO_MANY
from holdfast.upkeep.decay import decayed_importance
from holdfast.upkeep.round import BATCH, Round, Steps, departure

PAGE = 500


def limit_promoted(round_: Round) -> Steps:
    """Bring promoted memories down to nine tenths of their limit once there are more; nobody else's count."""
    store, most = round_.store, round_.limits.promoted
    count = store.upkeep.promoted()
    if count <= most:
        return
    lightest = heapq.nsmallest(count - int(most * PROMOTED_KEPT), _weights(round_))
    for start in range(0, len(lightest), BATCH):
        batch = {memory_id: weight for weight, memory_id in lightest[start : start + BATCH]}
        memories = [memory for memory in store.memories.get(list(batch)) if _still(round_, memory)]
        round_.evict(
            [
                (memory, departure(memory, TOO_MANY, f"weighs {batch[memory.id]:.2f}, among the least"))
                for memory in memories
            ]
        )
        yield len(batch)


def _still(round_: Round, memory: Memory) -> bool:
    """Say whether a memory may go now: it may have been pinned, read or said by somebody since it was weighed."""
    alone = memory.sources == (PROMOTED,) and not memory.superseded
    return alone and round_.protection.reason(memory) is None


def _weights(round_: Round) -> list[tuple[float, str]]:
    weights = []
    after = 0
    while page := round_.store.upkeep.promoted_after(after, PAGE):
        after = page[-1][0]
        free = round_.unprotected([memory for _, memory in page])
        weights += [(decayed_importance(memory, round_.believed), memory.id) for memory in free]
    return weights
