"""What somebody asks to be deleted by age, by weight or by source: what is protected stays, as everywhere."""

from holdfast.model.kinds import USER
from holdfast.model.limits import DAY_MS
from holdfast.model.memory import Memory
from holdfast.model.requests import PruneRequest
from holdfast.model.upkeep import PRUNED
from holdfast.upkeep.decay import decayed_importance
from holdfast.upkeep.round import BATCH, Round, Steps, days_between, departure

ASKED_FOR = "what a person asked to remember"
SAID_BY_OTHERS = "said by another source too"


def prune(round_: Round, wish: PruneRequest) -> Steps:
    """Delete what a wish is about, history included."""
    after = 0
    while page := round_.store.upkeep.every(after, BATCH):
        after = page[-1][0]
        reasons = {memory.id: why for _, memory in page if (why := _why(memory, wish, round_.believed))}
        meant_memories = [memory for _, memory in page if memory.id in reasons]
        spared_reasons = [reason for memory in meant_memories if (reason := _reason_to_spare(memory, wish))]
        round_.ledger.kept.update(spared_reasons)
        free = round_.unprotected([memory for memory in meant_memories if not _reason_to_spare(memory, wish)])
        round_.evict([(memory, departure(memory, PRUNED, reasons[memory.id])) for memory in free])
        yield len(page)


def _why(memory: Memory, wish: PruneRequest, now: int) -> str | None:
    """Say why a wish is about a memory; None when it is not."""
    why = []
    if wish.days is not None:
        used = max(memory.renewed_at, memory.accessed_at or 0)
        if now - used < wish.days * DAY_MS:
            return None
        why.append(f"not read or confirmed for {days_between(used, now)} days")
    if wish.max_score is not None:
        weight = decayed_importance(memory, now)
        if weight > wish.max_score:
            return None
        why.append(f"weighs {weight:.2f}")
    if wish.source is not None:
        if wish.source not in memory.sources:
            return None
        why.append(f"from {wish.source}")
    return ", ".join(why)


def _reason_to_spare(memory: Memory, wish: PruneRequest) -> str | None:
    if memory.trust == USER and not wish.mine:
        return ASKED_FOR
    if wish.source is not None and set(memory.sources) != {wish.source}:
        return SAID_BY_OTHERS
    return None
