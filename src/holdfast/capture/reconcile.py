"""A batch of new memories against those there are: said before, opposed, revised, forgotten.

The verdict says what is to be written, and `remember` writes it, a batch in one transaction. Only what is said
last may revise, and only with the standing to do so (`precedence`); a revision without it is a conflict,
because hiding what still holds is worse than showing two entries.

Compared with are entries that hold now and share a topic, and not too many (`Rivals`): opposed, revised and
nearly equal texts share most of their words, so the best few by topic are enough. The store is asked once for a
whole batch; what the batch itself holds is found in the same way.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING

from msgspec import Struct, field

from holdfast.capture.compare.amendments import Readings, worth_comparing
from holdfast.capture.compare.conflict import detect_conflict
from holdfast.capture.compare.revision import detect_revision
from holdfast.capture.compare.same import is_near_duplicate
from holdfast.capture.compare.statement import Statement
from holdfast.capture.precedence import may_return, may_supersede, merge, retire
from holdfast.capture.prepare import WriteContext
from holdfast.model.ids import new_id
from holdfast.model.kinds import IMPORTED
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

SENTENCES_OF_A_RULE = 2
"""Sentences of a rule; more is a section."""

MOST = 6
"""Entries compared, from the store and from the batch each."""


class Incoming(Struct, frozen=True):
    """A prepared memory, and the one it is said to supersede."""

    memory: Memory
    supersedes: str | None = None


class Verdict(Struct, frozen=True):
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
    readings: Readings | None = None,
) -> Verdict:
    """Judge a batch in order, each memory against the store and against those before it.

    What a person had forgotten, here or where `barred_prints` come from, stays out unless a person says it again.
    Who has more than one batch hands on what was read of the texts.
    """
    return _Judge(store, batch, now, barred_prints, readings or Readings()).judge()


def _are_documents(memory: Memory, statement: Statement, rival: Memory, rival_statement: Statement) -> bool:
    """Whether both were taken in from files or history and one of them is more than a statement.

    Sections of one project's documents and its commits stand side by side: what they say of one topic in passing
    is no revision of each other, whatever words of change they hold.
    """
    taken_in = memory.trust == rival.trust == IMPORTED
    return taken_in and max(statement.length, rival_statement.length) > SENTENCES_OF_A_RULE


class _Judge:
    def __init__(
        self, store: Store, batch: Sequence[Incoming], now: int, barred_prints: Set[str], readings: Readings
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
        self._rivals = Rivals(store, fresh, now, readings)
        self._verdict = Verdict()

    def judge(self) -> Verdict:
        for item in self._batch:
            self._verdict.results.append(self._judge_one(item))
        return self._verdict

    def _judge_one(self, item: Incoming) -> Added:
        memory = item.memory
        if memory.fingerprint in self._forgotten_fingerprints:
            if not may_return(memory.trust):
                return Added(id=None, rejected="forgotten")
            self._verdict.returning.append(memory.fingerprint)
        known_memory = self._current_by_fingerprint.get(memory.fingerprint)
        if known_memory is not None:
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
            self._revise(memory, before, AGAIN, whole=True)

    def _compare(self, memory: Memory) -> tuple[str, ...]:
        """Compare with every rival; return those that say nearly the same."""
        stored_rivals, in_batch = self._rivals.of(memory)
        rivals = [*stored_rivals, *(self._verdict.new[memory_id] for memory_id in in_batch)]
        similar, series = [], []
        for rival in rivals:
            if self._verdict.new[memory.id].superseded:
                break
            match self._compare_two(memory, self._so_far(rival)):
                case "similar":
                    similar.append(rival.id)
                case "numbers":
                    series.append(rival)
        for rival in series if len(series) <= ANOTHER_VALUE else ():
            self._note(memory, rival, CONTRADICTORY)
        return tuple(similar)

    def _compare_two(self, memory: Memory, rival: Memory) -> str | None:
        """Note a revision or a conflict; return "similar" or "numbers" where that is all there is."""
        later, earlier = (memory, rival) if memory.valid_from >= rival.valid_from else (rival, memory)
        if not rival.current(self._now):
            return None
        statement, rival_statement = self._rivals.statement(memory), self._rivals.statement(rival)
        if _are_documents(memory, statement, rival, rival_statement):
            similar = is_near_duplicate(statement, rival_statement) and self._rivals.meet(later, earlier)
            return "similar" if similar else None
        if not self._rivals.meet(later, earlier):
            return None
        if revision := detect_revision(self._rivals.statement(later), self._rivals.statement(earlier)):
            self._revise(memory, rival, revision.cue, whole=revision.whole)
        elif disagreement := detect_conflict(statement, rival_statement):
            if disagreement.by_number:
                return "numbers"
            self._note(memory, rival, disagreement.kind)
        elif is_near_duplicate(statement, rival_statement):
            return "similar"
        return None

    def _revise(self, memory: Memory, rival: Memory, cue: str, *, whole: bool) -> None:
        """Let what was said later take the other's place, where it may."""
        later, earlier = (memory, rival) if memory.valid_from >= rival.valid_from else (rival, memory)
        if whole and may_supersede(later, earlier):
            self._retire(earlier, later, cue)
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


class Rivals:
    """The entries of a store, and those of the batch that is being written into it."""

    def __init__(self, store: Store, batch: Sequence[Memory], now: int, readings: Readings) -> None:
        texts = [memory.content for memory in batch]
        rivals_of_each = store.memories.akin(batch[0].project, texts, now, MOST) if batch else []
        self._stored_rivals = {memory.id: rivals for memory, rivals in zip(batch, rivals_of_each, strict=True)}
        self._batch_ids: list[str] = []
        self._tickets: defaultdict[int, list[int]] = defaultdict(list)
        self._readings = readings

    def of(self, memory: Memory) -> tuple[list[Memory], list[str]]:
        """Return the stored entries most like a new one and the ids of the batch's, best first.

        The new one is itself a rival for those that follow it in the batch.
        """
        numbers = nearest(topic_of(memory.content, ASKED_WORDS), self._tickets, MOST)
        in_batch = [self._batch_ids[number] for number in numbers]
        self._note(memory)
        return self._stored_rivals.get(memory.id, []), in_batch

    def meet(self, later: Memory, earlier: Memory) -> bool:
        """Say whether reading both can find anything."""
        later_text, earlier_text = self._readings.of(later.content), self._readings.of(earlier.content)
        return later_text.announces or worth_comparing(later_text.signs, earlier_text.signs)

    def statement(self, memory: Memory) -> Statement:
        """Return what an entry says."""
        read_text = self._readings.of(memory.content)
        return Statement(read_text, memory.kind, memory.files, firm=memory.kind_confidence is None)

    def _note(self, memory: Memory) -> None:
        topic = topic_of(memory.content)
        new_ticket = ticket(len(self._batch_ids), topic)
        self._batch_ids.append(memory.id)
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
