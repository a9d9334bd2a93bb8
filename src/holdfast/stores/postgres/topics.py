"""What memories are about, in a table of its own, kept with the rows."""

from collections.abc import Iterable, Mapping, Sequence

from holdfast.model.memory import Memory
from holdfast.stores.sql.memories import SqlTopics, topic_rows
from holdfast.stores.topics import topic_of


class Topics(SqlTopics):
    """The words that the memories of one store are found by."""

    def put(self, memories: Iterable[tuple[int, Memory]]) -> None:
        """Let memories be found, those that hold, by the numbers of their rows."""
        rows = topic_rows([(number, memory.content) for number, memory in memories if not memory.superseded])
        words, numbers, sizes = zip(*rows, strict=True) if rows else ((), (), ())
        params = {"words": list(words), "memories": list(numbers), "sizes": list(sizes)}
        self._tables.all("topics_put", params)

    def drop(self, memories: Mapping[int, Memory]) -> None:
        """Let memories not be found any more, by the numbers of their rows."""
        rows = [(word, number) for number, memory in memories.items() for word in topic_of(memory.content)]
        words, numbers = zip(*rows, strict=True) if rows else ((), ())
        self._tables.all("topics_drop", {"words": list(words), "memories": list(numbers)})

    def _tickets(self, words: list[int]) -> Mapping[int, Sequence[int]]:
        return dict(self._tables.all("topics_of", self._wanted(words)))
