"""What memories are about, in a table of its own: kept with the rows, and made anew from them."""

import json
from collections.abc import Iterable, Mapping, Sequence

from holdfast.model.memory import Memory
from holdfast.stores.sql.topics import SqlTopics, topic_rows
from holdfast.stores.sqlite.connection import Database
from holdfast.stores.sqlite.rows import SqliteTables
from holdfast.stores.topics import topic_of

_CHUNK = 1_000
"""Rows that are read at once when the table is made anew."""


class Topics(SqlTopics):
    """The words that the memories of one database are found by."""

    def __init__(self, database: Database) -> None:
        super().__init__(SqliteTables(database))

    def put(self, memories: Iterable[tuple[int, Memory]]) -> None:
        """Let memories be found, those that hold, by the numbers of their rows."""
        self._fill([(number, memory.content) for number, memory in memories if not memory.superseded])

    def put_again(self, memory: Memory) -> None:
        """Let one be found whose row was there before."""
        row = self._tables.one("memory_number", {"id": memory.id})
        self.put([(row[0], memory)] if row else [])

    def drop(self, memories: Iterable[Memory]) -> None:
        """Let memories not be found any more."""
        rows = ({"id": memory.id, "words": self._tables.numbers(topic_of(memory.content))} for memory in memories)
        self._tables.many("topic_drop", rows)

    def refill(self) -> None:
        """Make the table anew from the rows, inside a transaction; reads no column of theirs that came later."""
        self._tables.all("topics_clear")
        after = 0
        while rows := self._tables.all("topics_due", {"after": after, "limit": _CHUNK}):
            self._fill([(number, content) for number, content in rows])
            after = rows[-1][0]

    def _fill(self, texts: Sequence[tuple[int, str]]) -> None:
        rows = topic_rows(texts)
        self._tables.many(
            "topic_put", ({"word": word, "memory": number, "size": size} for word, number, size in rows)
        )

    def _tickets(self, words: list[int]) -> Mapping[int, Sequence[int]]:
        row = self._tables.one("topics_of", self._wanted(words))
        tickets = json.loads(row[0]) if row else ()
        return {word: ticket for word, ticket in zip(words, tickets, strict=True) if ticket}
