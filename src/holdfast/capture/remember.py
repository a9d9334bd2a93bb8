"""The last steps of the write path: prepared memories against what is known, one transaction a batch."""

from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING

from holdfast.capture.prepare import WriteContext
from holdfast.capture.reconcile import Incoming, Verdict, reconcile
from holdfast.model.limits import BULK
from holdfast.model.memory import Added
from holdfast.model.records import Event
from holdfast.model.value import Value
from holdfast.model.vectors import MEMORY, VectorModel
from holdfast.ports import Store
from holdfast.stores.retry import again

if TYPE_CHECKING:
    from holdfast.ports import Floats


class MemoryEmbeddings(Value):
    """Vectors made before the memories are written, by id."""

    model: VectorModel
    vectors: "Mapping[str, Floats]"


def remember(
    store: Store,
    incoming: Sequence[Incoming],
    desk: WriteContext,
    barred_prints: Set[str] = frozenset(),
    embeddings: MemoryEmbeddings | None = None,
) -> list[Added]:
    """Reconcile prepared memories with a store and write them; return what became of each, in order.

    A duplicate strengthens the entry that is there; what was forgotten, here or where `barred_prints` come from,
    stays out unless a person says it again. Vectors are written with their memories; what comes without waits for
    one.
    """
    results: list[Added] = []
    for start in range(0, len(incoming), BULK):
        results.extend(_remember_some(store, incoming[start : start + BULK], desk, barred_prints, embeddings))
    return results


@again
def _remember_some(
    store: Store,
    incoming: Sequence[Incoming],
    desk: WriteContext,
    barred_prints: Set[str],
    embeddings: MemoryEmbeddings | None,
) -> Sequence[Added]:
    with store.writing():
        verdict = reconcile(store, incoming, desk.now, barred_prints, desk.readings)
        _store(store, verdict, desk)
        if embeddings:
            _embed(store, verdict, embeddings)
    return verdict.results


def _store(store: Store, verdict: Verdict, desk: WriteContext) -> None:
    """Write a verdict, its journal first. What is replaced must let go of its fingerprint before anything new."""
    _journal(store, verdict, desk)
    store.tombstones.remove(verdict.returning)
    for memory in verdict.changed.values():
        store.memories.replace(memory)
    store.memories.insert(list(verdict.new.values()))
    store.conflicts.record(verdict.conflicts)


def _embed(store: Store, verdict: Verdict, embeddings: MemoryEmbeddings) -> None:
    """Keep the vectors of what is new."""
    vectors = {new: embeddings.vectors[new] for new in verdict.new if new in embeddings.vectors}
    store.vectors.put(MEMORY, embeddings.model, vectors, None)


def _journal(store: Store, verdict: Verdict, desk: WriteContext) -> None:
    rejected_count = sum(result.rejected is not None for result in verdict.results)
    counts = {"rejected": rejected_count, "conflicts": len(verdict.conflicts)}
    if verdict.new or rejected_count:
        detail = {name: number for name, number in counts.items() if number}
        _record(store, desk, "add", tuple(verdict.new), detail)
    if repeated_ids := tuple(
        memory_id for memory_id in dict.fromkeys(verdict.repeated) if memory_id not in verdict.new
    ):
        _record(store, desk, "update", repeated_ids, {"said_again": len(repeated_ids)})
    for old, new, cue in verdict.retired:
        _record(store, desk, "supersede", (old, new), {"detected": cue} if cue else {})


def _record(
    store: Store, desk: WriteContext, action: str, ids: tuple[str, ...], detail: Mapping[str, object]
) -> None:
    store.audit.record(Event(action=action, actor=desk.actor.name, at=desk.now, ids=ids, detail=detail))
