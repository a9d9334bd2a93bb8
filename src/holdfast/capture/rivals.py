"""Which entries a new one has to be compared with: those that hold now and share its topic, and not too many.

Opposed, revised and nearly equal texts share most of their words, so the best few by topic are enough. The store
is asked once for a whole batch; what the batch itself holds is found in the same way.
"""

from collections import defaultdict
from collections.abc import Sequence

from holdfast.capture.compare.signs import Signs, announces, signs_of, worth_comparing
from holdfast.capture.compare.statement import Statement, state
from holdfast.model.memory import Memory
from holdfast.ports import Store
from holdfast.stores.topics import ASKED_WORDS, MOST_TICKETS, nearest, ticket, topic_of

MOST = 6
"""Entries compared, from the store and from the batch each."""


class Rivals:
    """The entries of a store, and those of the batch that is being written into it."""

    def __init__(self, store: Store, batch: Sequence[Memory], now: int) -> None:
        texts = [memory.content for memory in batch]
        rivals_of_each = store.memories.akin(batch[0].project, texts, now, MOST) if batch else []
        self._stored_rivals = {memory.id: rivals for memory, rivals in zip(batch, rivals_of_each, strict=True)}
        self._batch_ids: list[str] = []
        self._tickets: defaultdict[int, list[int]] = defaultdict(list)
        self._signs: dict[str, Signs] = {}
        self._announcements: dict[str, bool] = {}
        self._statements: dict[str, Statement] = {}

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
        return self._announces(later) or worth_comparing(self._look(later), self._look(earlier))

    def statement(self, memory: Memory) -> Statement:
        """Return what an entry says; each is read once."""
        if memory.id not in self._statements:
            self._statements[memory.id] = state(
                memory.content, memory.kind, memory.files, firm=memory.kind_confidence is None
            )
        return self._statements[memory.id]

    def _announces(self, memory: Memory) -> bool:
        if memory.id not in self._announcements:
            self._announcements[memory.id] = self._look(memory).revises and announces(memory.content)
        return self._announcements[memory.id]

    def _look(self, memory: Memory) -> Signs:
        if memory.id not in self._signs:
            self._signs[memory.id] = signs_of(memory.content)
        return self._signs[memory.id]

    def _note(self, memory: Memory) -> None:
        topic = topic_of(memory.content)
        new_ticket = ticket(len(self._batch_ids), topic)
        self._batch_ids.append(memory.id)
        for word in topic:
            word_tickets = self._tickets[word]
            word_tickets.append(new_ticket)
            del word_tickets[:-MOST_TICKETS]
