"""The memories of a SQL store: what is read of them. What a change entails is the backend's."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from holdfast.model.kinds import PROMOTED, QUARANTINE
from holdfast.model.memory import Memory
from holdfast.model.search import Filters
from holdfast.model.type_hints import TYPE_CHECKING
from holdfast.stores.sql.matching import IndexedFacet, SqlMatcher
from holdfast.stores.sql.tables import Facet, Tables
from holdfast.stores.topics import ASKED, MOST_TICKETS, SIZES, nearest, topic_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

INDEXED = ("kind", "title", "content", "context", "tags", "files")
"""What a memory's words are read from: a change of anything else leaves the index alone."""


class SqlTopics(Facet, ABC):
    """The words that the memories of one store are found by."""

    def akin(self, texts: Sequence[str], limit: int) -> list[list[Memory]]:
        """Return the memories that share most of the topic of each text, best first."""
        topics = [topic_of(text, ASKED) for text in texts]
        tickets = self._tickets(list({word for topic in topics for word in topic}))
        numbers_near = [nearest(topic, tickets, limit) for topic in topics]
        memories = self._numbered({number for numbers in numbers_near for number in numbers})
        return [[memories[number] for number in numbers if number in memories] for numbers in numbers_near]

    @abstractmethod
    def _tickets(self, words: list[int]) -> "Mapping[int, Sequence[int]]":
        """Return the tickets under each word, of those that have any (`_wanted` asks for them)."""

    def _wanted(self, words: list[int]) -> "dict[str, Any]":
        return {"words": self._tables.numbers(words), "most": MOST_TICKETS, "sizes": SIZES}

    def _numbered(self, numbers: set[int]) -> dict[int, Memory]:
        if not numbers:
            return {}
        rows = self._tables.all("memories_numbered", {"numbers": self._tables.numbers(numbers)})
        return dict(self._tables.numbered(Memory, rows))


def topic_rows(memories: "Sequence[tuple[int, str]]") -> list[tuple[int, int, int]]:
    """Return word, number and size of topic for the texts of rows, in the order of the table: that is where an
    index is filled fastest."""
    topics = [(number, topic_of(text)) for number, text in memories]
    return sorted((word, number, len(topic)) for number, topic in topics for word in topic)


class SqlMemories(IndexedFacet):
    """`ports.Memories` over named queries, but for what changes them."""

    entries = "memories"

    def __init__(
        self,
        tables: Tables,
        index: SqlMatcher,
        topics: SqlTopics,
        fading: Callable[[Memory], int | None] | None = None,
    ) -> None:
        super().__init__(tables, index)
        self._topics = topics
        self._fading = fading

    def get(self, ids: Sequence[str]) -> list[Memory]:
        return self._tables.in_order(Memory, "memories_get", ids)

    def saying(self, project: str, fingerprints: Sequence[str]) -> dict[str, Memory]:
        memories = self._tables.select(Memory, "memories_saying", self._said(project, fingerprints))
        return {memory.fingerprint: memory for memory in memories}

    def ever_saying(self, project: str, fingerprints: Sequence[str]) -> list[Memory]:
        memories = self._tables.select(Memory, "memories_ever_saying", self._said(project, fingerprints))
        return sorted(memories, key=lambda memory: (not memory.superseded, memory.valid_until or 0))

    def akin(self, project: str, texts: Sequence[str], now: int, limit: int) -> list[list[Memory]]:
        return [
            [memory for memory in memories if memory.project == project and memory.current(now)][:limit]
            for memories in self._topics.akin(texts, 2 * limit)
        ]

    def walk(self, after: str | None, limit: int) -> list[Memory]:
        return self._walk.page(Memory, after, limit)

    def quarantined(self, before: int, limit: int) -> list[Memory]:
        params = {"before": before, "limit": limit, "source": PROMOTED, "mark": QUARANTINE}
        return self._tables.select(Memory, "memories_quarantined", params)

    def newest(self, filters: Filters, limit: int) -> list[Memory]:
        return self._tables.select(Memory, "memories_newest", self._tables.filters(filters) | {"limit": limit})

    def around(self, anchor: Memory, window: int, filters: Filters) -> list[Memory]:
        place = {"id": anchor.id, "created_at": anchor.created_at, "window": window}
        params = self._tables.filters(filters) | place
        with self._tables.reading():
            before = self._tables.select(Memory, "memories_before", params)
            after = self._tables.select(Memory, "memories_after", params)
        return [*reversed(before), anchor, *after]

    def _said(self, project: str, fingerprints: Sequence[str]) -> "dict[str, Any]":
        return {"project": self._tables.text(project), "fingerprints": self._tables.texts(fingerprints)}

    def _row(self, memory: Memory) -> "dict[str, Any]":
        """Write a memory, with the moment at which it fades."""
        row = self._tables.row(memory)
        return row | {"fades": self._fading(memory)} if self._fading else row


def reworded(before: Memory, after: Memory) -> bool:
    """Say whether the index has to hear of a change."""
    return any(getattr(before, name) != getattr(after, name) for name in INDEXED)


def retopics(before: Memory, after: Memory) -> bool:
    """Say whether a change makes a memory be found by another topic, or by none."""
    return (before.content, before.superseded) != (after.content, after.superseded)
