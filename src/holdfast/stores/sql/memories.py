"""The memories of a SQL store, what they are about, the pairs that disagree, and what agents proposed.

What a change of a memory entails is the backend's.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from holdfast.model.inbox import Proposal
from holdfast.model.kinds import PROMOTED, QUARANTINE
from holdfast.model.memory import Conflict, Memory
from holdfast.model.search import Filters
from holdfast.stores.sql.matching import IndexedFacet, SqlMatcher
from holdfast.stores.sql.tables import Facet, NamedFacet, Tables
from holdfast.stores.topics import ASKED_WORDS, MOST_TICKETS, SIZES, nearest, topic_of


class SqlTopics(Facet, ABC):
    """The words that the memories of one store are found by."""

    def akin(self, texts: Sequence[str], limit: int, fits: Callable[[Memory], bool]) -> list[list[Memory]]:
        """Return the memories that share most of the topic of each text, best first; of twice as many that fit.

        Most fit: those behind the first ones are read only where some of these do not.
        """
        topics = [topic_of(text, ASKED_WORDS) for text in texts]
        tickets = self._tickets(list({word for topic in topics for word in topic}))
        numbers_near = [nearest(topic, tickets, 2 * limit) for topic in topics]
        memories = self._fitting({number for numbers in numbers_near for number in numbers[:limit]}, fits)
        short_lists = [numbers for numbers in numbers_near if not memories.keys() >= set(numbers[:limit])]
        memories |= self._fitting({number for numbers in short_lists for number in numbers[limit:]}, fits)
        return [[memories[number] for number in numbers if number in memories][:limit] for numbers in numbers_near]

    def _fitting(self, numbers: set[int], fits: Callable[[Memory], bool]) -> dict[int, Memory]:
        return {number: memory for number, memory in self._numbered(numbers).items() if fits(memory)}

    @abstractmethod
    def _tickets(self, words: list[int]) -> Mapping[int, Sequence[int]]:
        """Return the tickets under each word, of those that have any (`_wanted` asks for them)."""

    def _wanted(self, words: list[int]) -> dict[str, Any]:
        return {"words": self._tables.numbers(words), "most": MOST_TICKETS, "sizes": SIZES}

    def _numbered(self, numbers: set[int]) -> dict[int, Memory]:
        if not numbers:
            return {}
        rows = self._tables.all("memories_numbered", {"numbers": self._tables.numbers(numbers)})
        return dict(self._tables.numbered(Memory, rows))


def topic_rows(memories: Sequence[tuple[int, str]]) -> list[tuple[int, int, int]]:
    """Return word, number and size of topic for the texts of rows, in the order of the table: that is where an
    index is filled fastest."""
    topics = [(number, topic_of(text)) for number, text in memories]
    return sorted((word, number, len(topic)) for number, topic in topics for word in topic)


INDEXED = ("kind", "title", "content", "context", "tags", "files")
"""What a memory's words are read from: a change of anything else leaves the index alone."""


class SqlMemories(IndexedFacet, ABC):
    """`ports.Memories` over named queries, but for what changes them."""

    entries = "memories"

    def __init__(
        self,
        tables: Tables,
        index: SqlMatcher,
        fading: Callable[[Memory], int | None] | None = None,
    ) -> None:
        super().__init__(tables, index)
        self._fading = fading

    @property
    @abstractmethod
    def _topics(self) -> "SqlTopics":
        """The words that memories are found by when others are compared with them."""

    def get(self, ids: Sequence[str]) -> list[Memory]:
        return self._tables.in_order(Memory, "memories_get", ids)

    def saying(self, project: str, fingerprints: Sequence[str]) -> dict[str, Memory]:
        memories = self._tables.select(Memory, "memories_saying", self._said(project, fingerprints))
        return {memory.fingerprint: memory for memory in memories}

    def ever_saying(self, project: str, fingerprints: Sequence[str]) -> list[Memory]:
        memories = self._tables.select(Memory, "memories_ever_saying", self._said(project, fingerprints))
        return sorted(memories, key=lambda memory: (not memory.superseded, memory.valid_until or 0))

    def akin(self, project: str, texts: Sequence[str], now: int, limit: int) -> list[list[Memory]]:
        return self._topics.akin(texts, limit, lambda memory: memory.project == project and memory.current(now))

    def walk(self, after: str | None, limit: int) -> list[Memory]:
        return self._walk.page(Memory, after, limit)

    def quarantined(self, before: int, limit: int) -> list[Memory]:
        params = {"before": before, "limit": limit, "source": PROMOTED, "mark": QUARANTINE}
        return self._tables.select(Memory, "memories_quarantined", params)

    def newest(self, filters: Filters, limit: int) -> list[Memory]:
        return self._tables.select(Memory, "memories_newest", self._tables.filters(filters) | {"limit": limit})

    def fading(self, now: int, limit: int) -> list[Memory]:
        return self._tables.select(Memory, "memories_fade_next", {"now": now, "limit": limit})

    def before(self, anchor: Memory, limit: int, filters: Filters) -> list[Memory]:
        return self._tables.select(Memory, "memories_before", self._beside(anchor, limit, filters))

    def around(self, anchor: Memory, window: int, filters: Filters) -> list[Memory]:
        params = self._beside(anchor, window, filters)
        with self._tables.reading():
            before = self._tables.select(Memory, "memories_before", params)
            after = self._tables.select(Memory, "memories_after", params)
        return [*reversed(before), anchor, *after]

    def _beside(self, anchor: Memory, window: int, filters: Filters) -> dict[str, Any]:
        place = {"id": anchor.id, "created_at": anchor.created_at, "window": window}
        return self._tables.filters(filters) | place

    def _said(self, project: str, fingerprints: Sequence[str]) -> dict[str, Any]:
        return {"project": self._tables.text(project), "fingerprints": self._tables.texts(fingerprints)}

    def _row(self, memory: Memory) -> dict[str, Any]:
        """Write a memory, with the moment at which it fades."""
        row = self._tables.row(memory)
        return row | {"fades": self._fading(memory)} if self._fading else row


def reworded(before: Memory, after: Memory) -> bool:
    """Say whether the index has to hear of a change."""
    return any(getattr(before, name) != getattr(after, name) for name in INDEXED)


def retopics(before: Memory, after: Memory) -> bool:
    """Say whether a change makes a memory be found by another topic, or by none."""
    return (before.content, before.superseded) != (after.content, after.superseded)


class SqlConflicts(NamedFacet):
    """`ports.Conflicts` over named queries."""

    entries = "conflicts"

    def get(self, conflict_id: str) -> Conflict | None:
        return self._tables.first(Conflict, "conflict_get", {"id": self._tables.id(conflict_id)})

    def walk(self, after: str | None, limit: int) -> list[Conflict]:
        return self._tables.select(Conflict, "conflicts_walk", {"after": self._tables.id(after), "limit": limit})

    def unresolved(self, now: int, ids: Sequence[str] = ()) -> list[Conflict]:
        params = {"now": now, "ids": self._tables.ids(ids) if ids else None}
        return self._tables.select(Conflict, "conflicts_unresolved", params)

    def about(self, memory_id: str) -> list[Conflict]:
        return self._tables.select(Conflict, "conflicts_about", {"memory": self._tables.id(memory_id)})

    def record(self, conflicts: Sequence[Conflict]) -> None:
        self._tables.put("conflict_record", conflicts)

    def settle(self, conflict: Conflict) -> None:
        self._tables.all("conflict_settle", self._tables.row(conflict))


class SqlProposals(NamedFacet):
    """`ports.Proposals` over named queries."""

    entries = "proposals"

    def get(self, proposal_id: str) -> Proposal | None:
        return self._tables.first(Proposal, "proposal_get", {"id": self._tables.id(proposal_id)})

    def walk(self, after: str | None, limit: int) -> list[Proposal]:
        return self._tables.select(Proposal, "proposals_walk", {"after": self._tables.id(after), "limit": limit})

    def waiting(self) -> list[Proposal]:
        return self._tables.select(Proposal, "proposals_waiting")

    def about(self, memory_id: str) -> list[Proposal]:
        return self._tables.select(Proposal, "proposals_about", {"memory": self._tables.id(memory_id)})

    def put(self, proposals: Sequence[Proposal]) -> None:
        self._tables.put("proposal_put", proposals)
