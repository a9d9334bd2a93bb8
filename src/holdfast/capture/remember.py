"""The write path: what was said, against what is known, in one transaction a batch."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.capture.reconcile import merge, retire
from holdfast.capture.standing import may_return
from holdfast.model.limits import BATCH
from holdfast.model.memory import Added, Memory
from holdfast.model.records import Event
from holdfast.model.vectors import MEMORY, VectorModel
from holdfast.ports import Store

if TYPE_CHECKING:
    from holdfast.ports import Floats


@dataclass(frozen=True, slots=True)
class Incoming:
    """A prepared memory, and the one it is said to supersede."""

    memory: Memory
    supersedes: str | None = None


@dataclass(frozen=True, slots=True)
class Embedded:
    """Vectors made before the memories are written, by id."""

    model: VectorModel
    vectors: "Mapping[str, Floats]"


def remember(
    store: Store,
    incoming: Sequence[Incoming],
    actor: str,
    now: int,
    barred: Set[str] = frozenset(),
    embedded: Embedded | None = None,
) -> list[Added]:
    """Write prepared memories; return what became of each, in order.

    A batch is one transaction. A duplicate strengthens the entry that is there; what a person had forgotten,
    here or where `barred` comes from, stays out unless a person says it again. Vectors are written with their
    memories; what comes without waits for one.
    """
    results: list[Added] = []
    for batch in _batches(incoming):
        with store.writing():
            writer = _Batch(store, batch, actor, now, barred)
            results.extend(writer.write())
            if embedded:
                writer.embed(embedded)
    return results


def _batches(incoming: Sequence[Incoming]) -> Iterator[Sequence[Incoming]]:
    for start in range(0, len(incoming), BATCH):
        yield incoming[start : start + BATCH]


class _Batch:
    """One transaction's worth: judged as a whole first, then journalled, then written."""

    def __init__(self, store: Store, batch: Sequence[Incoming], actor: str, now: int, barred: Set[str]) -> None:
        self._store = store
        self._batch = batch
        self._actor = actor
        self._now = now
        self._barred = barred
        self._new: dict[str, Memory] = {}
        self._merged: dict[str, Memory] = {}
        self._returning: list[str] = []
        self._retired: list[tuple[Memory, Memory]] = []

    def write(self) -> list[Added]:
        results = self._judge()
        self._journal(results)
        self._store.tombstones.remove(self._returning)
        for memory in self._merged.values():
            self._store.memories.replace(memory)
        for old, _ in self._retired:
            self._store.memories.replace(old)
        self._store.memories.insert(list(self._new.values()))
        return results

    def embed(self, embedded: Embedded) -> None:
        """Keep the vectors of what is new."""
        vectors = {new: embedded.vectors[new] for new in self._new if new in embedded.vectors}
        self._store.vectors.put(MEMORY, embedded.model, vectors, None)

    def _judge(self) -> list[Added]:
        memories = [item.memory for item in self._batch]
        prints = [memory.fingerprint for memory in memories]
        forgotten = self._store.tombstones.standing(prints) | self._barred
        known = self._store.memories.saying(memories[0].project, prints)
        return [self._judge_one(item, forgotten, known) for item in self._batch]

    def _judge_one(self, item: Incoming, forgotten: set[str], known: dict[str, Memory]) -> Added:
        memory = item.memory
        if memory.fingerprint in forgotten:
            if not may_return(memory.trust):
                return Added(id=None, rejected="forgotten")
            self._returning.append(memory.fingerprint)
        kept = known.get(memory.fingerprint)
        if kept is None:
            known[memory.fingerprint] = self._new[memory.id] = memory
        else:
            self._merge(kept, memory, known)
        settled = known[memory.fingerprint]
        if item.supersedes:
            self._retire(item.supersedes, settled, known)
        return Added(id=settled.id, created=kept is None, duplicate=kept is not None)

    def _merge(self, kept: Memory, incoming: Memory, known: dict[str, Memory]) -> None:
        merged = merge(kept, incoming, self._now)
        known[kept.fingerprint] = merged
        (self._new if kept.id in self._new else self._merged)[kept.id] = merged

    def _retire(self, old_id: str, new: Memory, known: dict[str, Memory]) -> None:
        """Make the old one history, as what stood before it in the batch left it; then it may be said anew."""
        for stored in self._store.memories.get([old_id]):
            old = retire(self._merged.get(old_id, stored), new)
            self._retired.append((old, new))
            if known.get(old.fingerprint, old).id == old.id:
                known.pop(old.fingerprint, None)

    def _journal(self, results: list[Added]) -> None:
        rejected = sum(result.rejected is not None for result in results)
        if self._new or rejected:
            self._record("add", tuple(self._new), {"rejected": rejected} if rejected else {})
        if self._merged:
            self._record("update", tuple(self._merged), {"said_again": len(self._merged)})
        for old, new in self._retired:
            self._record("supersede", (old.id, new.id), {})

    def _record(self, action: str, ids: tuple[str, ...], detail: dict[str, int]) -> None:
        event = Event(action=action, actor=self._actor, at=self._now, ids=ids, detail=detail)
        self._store.audit.record(event)
