"""What the memories of a SQL store are about, in a table of its own. Only who writes or compares needs it."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from holdfast.model.memory import Memory
from holdfast.stores.sql.tables import Facet
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
