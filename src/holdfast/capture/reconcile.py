"""A batch of new memories against those there are: said before, opposed, revised, forgotten.

The verdict says what is to be written, and `remember` writes it, a batch in one transaction. Only what is said
last may revise, and only with the standing to do so (`precedence`); a revision without it is a conflict,
because hiding what still holds is worse than showing two entries.

Compared with are entries that hold now and share a topic, and not too many (`Rivals`): opposed, revised and
nearly equal texts share words, so the best few by topic are enough. The store and the judge are asked once for a
whole batch; what the batch itself holds is found in the same way.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING

from msgspec import Struct, field

from holdfast.capture.precedence import may_return, may_supersede, merge, retire
from holdfast.capture.prepare import WriteContext
from holdfast.capture.relations import JUDGED, NUMBER, SAME, OpenJudge, Stand, ask, is_judged, stand
from holdfast.judge import light_judge
from holdfast.model.ids import new_id
from holdfast.model.kinds import USER
from holdfast.model.limits import BULK
from holdfast.model.memory import CONTRADICTORY, SUPERSEDED, Added, Conflict, Memory
from holdfast.model.records import Event
from holdfast.model.vectors import MEMORY, VectorModel
from holdfast.ports import Store
from holdfast.stores.retry import again
from holdfast.stores.topics import ASKED_WORDS, MOST_TICKETS, nearest, ticket, topic_of

if TYPE_CHECKING:
    from holdfast.ports import Floats

ANOTHER_VALUE = 2
"""Entries that one text can contradict by a number alone; if there are more, they are a series, not a rule."""

AGAIN = "said again"
"""The cue of a memory that says again what was superseded."""

MOST = 8
"""Entries compared, from the store and from the batch each."""


class Incoming(Struct, frozen=True):
    """A prepared memory, and the one it is said to supersede."""

    memory: Memory
    supersedes: str | None = None


class Reconciliation(Struct, frozen=True):
    """What is to be written for a batch, and what became of each of its memories."""

    results: list[Added] = field(default_factory=list)
    new: dict[str, Memory] = field(default_factory=dict)
    changed: dict[str, Memory] = field(default_factory=dict)
    repeated: list[str] = field(default_factory=list)
    retired: list[tuple[str, str, str | None]] = field(default_factory=list)
    """The old one, what took its place, and the words that announced it where it was detected."""
    conflicts: list[Conflict] = field(default_factory=list)
    returning: list[str] = field(default_factory=list)
    """Fingerprints of forgotten texts that a person says again."""


def reconcile(
    store: Store,
    batch: Sequence[Incoming],
    now: int,
    barred_prints: Set[str] = frozenset(),
    open_judge: OpenJudge = light_judge,
) -> Reconciliation:
    """Judge a batch in order, each memory against the store and against those before it.

    What a person had forgotten, here or where `barred_prints` come from, stays out unless a person says it again.
    The judge is opened only where a new memory has something to be compared with.
    """
    return _Reconciliation(store, batch, now, barred_prints, open_judge).verdict()


class _Reconciliation:
    def __init__(
        self, store: Store, batch: Sequence[Incoming], now: int, barred_prints: Set[str], open_judge: OpenJudge
    ) -> None:
        self._store = store
        self._batch = batch
        self._now = now
        prints = [item.memory.fingerprint for item in batch]
        project = batch[0].memory.project
        self._forgotten_fingerprints = store.tombstones.standing(prints) | barred_prints
        ever = store.memories.ever_saying(project, prints)
        self._current_by_fingerprint = {memory.fingerprint: memory for memory in ever if not memory.superseded}
        self._superseded_by_fingerprint = {memory.fingerprint: memory for memory in ever if memory.superseded}
        fresh = [item.memory for item in batch if item.memory.fingerprint not in self._current_by_fingerprint]
        self._rivals = Rivals(store, fresh, now)
        pairs = self._rivals.pairs()
        relations = ask([(older.content, newer.content) for older, newer in pairs], open_judge)
        self._relations = {(a.id, b.id): relation for (a, b), relation in zip(pairs, relations, strict=True)}
        self._left_out: set[str] = set()
        self._verdict = Reconciliation()

    def verdict(self) -> Reconciliation:
        for item in self._batch:
            self._verdict.results.append(self._judge_one(item))
        return self._verdict

    def _judge_one(self, item: Incoming) -> Added:
        memory = item.memory
        if memory.fingerprint in self._forgotten_fingerprints:
            if not may_return(memory.trust):
                self._left_out.add(memory.id)
                return Added(id=None, rejected="forgotten")
            self._verdict.returning.append(memory.fingerprint)
        known_memory = self._current_by_fingerprint.get(memory.fingerprint)
        if known_memory is not None:
            self._left_out.add(memory.id)
            self._repeat(known_memory, item)
            return Added(id=known_memory.id, duplicate=True)
        return self._add(item)

    def _repeat(self, known_memory: Memory, item: Incoming) -> None:
        merged_memory = merge(known_memory, item.memory, self._now)
        self._keep(merged_memory)
        self._verdict.repeated.append(merged_memory.id)
        if item.supersedes:
            self._retire(self._latest(item.supersedes), merged_memory)

    def _add(self, item: Incoming) -> Added:
        memory = item.memory
        self._verdict.new[memory.id] = self._current_by_fingerprint[memory.fingerprint] = memory
        if item.supersedes:
            self._retire(self._latest(item.supersedes), memory)
        conflict_count = len(self._verdict.conflicts)
        self._take_back(memory)
        similar = self._compare(memory)
        conflicts = tuple(conflict.id for conflict in self._verdict.conflicts[conflict_count:])
        return Added(id=memory.id, created=True, conflicts=conflicts, similar_to=similar)

    def _take_back(self, memory: Memory) -> None:
        """What says again what was superseded opposes whatever holds in its place."""
        before = self._superseded_by_fingerprint.get(memory.fingerprint)
        while before and before.superseded_by:
            before = self._latest(before.superseded_by)
        if before and before.id != memory.id and before.current(self._now):
            self._revise(memory, before, Stand(SUPERSEDED, AGAIN, whole=True))

    def _compare(self, memory: Memory) -> tuple[str, ...]:
        """Compare with every rival; return those that say nearly the same."""
        similar, series = [], []
        for rival in [rival for rival in self._rivals.of(memory) if rival.id not in self._left_out]:
            if self._verdict.new[memory.id].superseded:
                break
            match self._compare_two(memory, self._so_far(rival)):
                case "same":
                    similar.append(rival.id)
                case "number":
                    series.append(rival)
        for rival in series if len(series) <= ANOTHER_VALUE else ():
            self._note(memory, rival, CONTRADICTORY)
        return tuple(similar)

    def _compare_two(self, memory: Memory, rival: Memory) -> str | None:
        """Note a revision or a conflict; return how they stand where nothing is to be noted yet."""
        if not rival.current(self._now):
            return None
        older, newer = in_order(memory, rival)
        stands = stand(older, newer, self._relations.get((older.id, newer.id)))
        if stands is None or stands.relation in (SAME, NUMBER):
            return stands.relation if stands else None
        if stands.relation == SUPERSEDED:
            self._revise(memory, rival, stands)
        else:
            self._note(memory, rival, stands.relation)
        return None

    def _revise(self, memory: Memory, rival: Memory, stands: Stand) -> None:
        """Let what was said later take the other's place, where it may; by the judge alone only a person's."""
        older, newer = in_order(memory, rival)
        is_persons = older.trust == newer.trust == USER
        if stands.whole and may_supersede(newer, older) and (is_persons or stands.cue != JUDGED):
            self._retire(older, newer, stands.cue)
        else:
            self._note(memory, rival, SUPERSEDED)

    def _note(self, memory: Memory, rival: Memory, kind: str) -> None:
        if (rival.id, memory.id) not in {
            (conflict.first, conflict.second) for conflict in self._verdict.conflicts
        }:
            self._verdict.conflicts.append(
                Conflict(id=new_id(self._now), first=rival.id, second=memory.id, kind=kind, detected_at=self._now)
            )

    def _retire(self, old: Memory | None, new: Memory, cue: str | None = None) -> None:
        """Make the old one history; what it says may then be said anew, as a new entry."""
        if old is None:
            return
        retired_memory = retire(old, new)
        self._keep(retired_memory)
        self._verdict.retired.append((old.id, new.id, cue))
        self._current_by_fingerprint.pop(old.fingerprint, None)
        self._superseded_by_fingerprint[old.fingerprint] = retired_memory

    def _keep(self, memory: Memory) -> None:
        verdict = self._verdict
        (verdict.new if memory.id in verdict.new else verdict.changed)[memory.id] = memory
        self._current_by_fingerprint[memory.fingerprint] = memory

    def _so_far(self, memory: Memory) -> Memory:
        """Return a memory as this batch leaves it so far."""
        return self._verdict.new.get(memory.id) or self._verdict.changed.get(memory.id, memory)

    def _latest(self, memory_id: str) -> Memory | None:
        """Return the memory with this id, as this batch leaves it so far."""
        memory = self._verdict.new.get(memory_id) or self._verdict.changed.get(memory_id)
        return memory or next(iter(self._store.memories.get([memory_id])), None)


def in_order(first: Memory, second: Memory) -> tuple[Memory, Memory]:
    """Return two memories, the one that was said earlier first; of two said at once the second is the older."""
    return (second, first) if first.valid_from >= second.valid_from else (first, second)


class Rivals:
    """The entries of a store, and those of the batch that is being written into it."""

    def __init__(self, store: Store, batch: Sequence[Memory], now: int) -> None:
        texts = [memory.content for memory in batch]
        rivals_of_each = store.memories.akin(batch[0].project, texts, now, MOST) if batch else []
        self._tickets: defaultdict[int, list[int]] = defaultdict(list)
        self._batch = batch
        self._rivals: dict[str, list[Memory]] = {}
        for number, (memory, stored_rivals) in enumerate(zip(batch, rivals_of_each, strict=True)):
            in_batch = nearest(topic_of(memory.content, ASKED_WORDS), self._tickets, MOST)
            self._rivals[memory.id] = [*stored_rivals, *(batch[other] for other in in_batch)]
            self._note(number, topic_of(memory.content))

    def of(self, memory: Memory) -> list[Memory]:
        """Return the entries most like a new one: those of the store, and those before it in its batch."""
        return self._rivals.get(memory.id, [])

    def pairs(self) -> list[tuple[Memory, Memory]]:
        """Return all pairs that the judge is to be asked about, the older one first."""
        pairs = (in_order(memory, rival) for memory in self._batch for rival in self.of(memory))
        return [(older, newer) for older, newer in pairs if is_judged(older, newer)]

    def _note(self, number: int, topic: Sequence[int]) -> None:
        new_ticket = ticket(number, topic)
        for word in topic:
            word_tickets = self._tickets[word]
            word_tickets.append(new_ticket)
            del word_tickets[:-MOST_TICKETS]


class MemoryEmbeddings(Struct, frozen=True):
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
        verdict = reconcile(store, incoming, desk.now, barred_prints, desk.judge)
        _store(store, verdict, desk)
        if embeddings:
            _embed(store, verdict, embeddings)
    return verdict.results


def _store(store: Store, verdict: Reconciliation, desk: WriteContext) -> None:
    """Write a verdict, its journal first. What is replaced must let go of its fingerprint before anything new."""
    _journal(store, verdict, desk)
    store.tombstones.remove(verdict.returning)
    for memory in verdict.changed.values():
        store.memories.replace(memory)
    store.memories.insert(list(verdict.new.values()))
    store.conflicts.record(verdict.conflicts)


def _embed(store: Store, verdict: Reconciliation, embeddings: MemoryEmbeddings) -> None:
    """Keep the vectors of what is new."""
    vectors = {new: embeddings.vectors[new] for new in verdict.new if new in embeddings.vectors}
    store.vectors.put(MEMORY, embeddings.model, vectors, None)


def _journal(store: Store, verdict: Reconciliation, desk: WriteContext) -> None:
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
