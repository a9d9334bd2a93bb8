"""What memories are about, in a table of its own, kept with the rows."""

from collections.abc import Iterable, Mapping, Sequence

from holdfast.model.memory import Memory
from holdfast.stores.postgres.connection import Database
from holdfast.stores.postgres.rows import memory_of
from holdfast.stores.topics import ASKED, MOST_TICKETS, SIZES, nearest, topic_of


class Topics:
    """The words that the memories of one store are found by."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, memories: Iterable[tuple[int, Memory]]) -> None:
        """Let memories be found, those that hold, by the numbers of their rows."""
        told = [(number, topic_of(one.content)) for number, one in memories if not one.superseded]
        rows = sorted((word, number, len(topic)) for number, topic in told for word in topic)
        words, numbers, sizes = zip(*rows, strict=True) if rows else ((), (), ())
        params = {"words": list(words), "memories": list(numbers), "sizes": list(sizes)}
        self._database.all("topics_put", params)

    def drop(self, memories: Mapping[int, Memory]) -> None:
        """Let memories not be found any more, by the numbers of their rows."""
        rows = [(word, number) for number, one in memories.items() for word in topic_of(one.content)]
        words, numbers = zip(*rows, strict=True) if rows else ((), ())
        self._database.all("topics_drop", {"words": list(words), "memories": list(numbers)})

    def akin(self, texts: Sequence[str], limit: int) -> list[list[Memory]]:
        """Return the memories that share most of the topic of each text, best first."""
        topics = [topic_of(text, ASKED) for text in texts]
        words = list({word for topic in topics for word in topic})
        params = {"words": words, "most": MOST_TICKETS, "sizes": SIZES}
        tickets: dict[int, list[int]] = dict(self._database.all("topics_of", params))
        near = [nearest(topic, tickets, limit) for topic in topics]
        known = self._numbered({number for numbers in near for number in numbers})
        return [[known[number] for number in numbers if number in known] for numbers in near]

    def _numbered(self, numbers: set[int]) -> dict[int, Memory]:
        if not numbers:
            return {}
        rows = self._database.all("memories_numbered", {"numbers": list(numbers)})
        self._database.saw((row[1], row[-1]) for row in rows)
        return {row[0]: memory_of(row[1:]) for row in rows}
