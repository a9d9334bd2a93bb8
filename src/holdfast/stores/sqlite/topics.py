"""What memories are about, in a table of its own: kept with the rows, and made anew from them."""

import json
from collections.abc import Iterable, Sequence
from typing import cast

from holdfast.model.memory import Memory
from holdfast.stores.sqlite.connection import Database
from holdfast.stores.sqlite.rows import memory_of, to_json
from holdfast.stores.topics import ASKED, MOST_TICKETS, SIZES, nearest, topic_of

_CHUNK = 1_000


class Topics:
    """The words that the memories of one database are found by."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, memories: Iterable[Memory]) -> None:
        """Let memories be found, those that hold."""
        rows = ({"id": one.id, "words": _words(one.content)} for one in memories if not one.superseded)
        self._database.many("topic_put", rows)

    def drop(self, memories: Iterable[Memory]) -> None:
        """Let memories not be found any more."""
        self._database.many("topic_drop", ({"id": one.id, "words": _words(one.content)} for one in memories))

    def akin(self, texts: Sequence[str], limit: int) -> list[list[Memory]]:
        """Return the memories that share most of the topic of each text, best first."""
        topics = [topic_of(text, ASKED) for text in texts]
        wanted = to_json(list({word for topic in topics for word in topic}))
        rows = self._database.all("topics_of", {"words": wanted, "most": MOST_TICKETS, "sizes": SIZES})
        tickets = {word: json.loads(found) for word, found in cast("list[tuple[int, str]]", rows) if found != "[]"}
        near = [nearest(topic, tickets, limit) for topic in topics]
        known = self._numbered({number for numbers in near for number in numbers})
        return [[known[number] for number in numbers if number in known] for numbers in near]

    def refill(self) -> None:
        """Make the whole table anew from the rows, inside a transaction."""
        self._database.all("topics_clear")
        after = None
        while rows := self._database.all("memories_walk", {"after": after, "limit": _CHUNK}):
            memories = [memory_of(row) for row in rows]
            self.put(memories)
            after = memories[-1].id

    def _numbered(self, numbers: set[int]) -> dict[int, Memory]:
        if not numbers:
            return {}
        rows = self._database.all("memories_numbered", {"numbers": to_json(list(numbers))})
        return {cast(int, row[0]): memory_of(row[1:]) for row in rows}


def _words(content: str) -> str:
    return to_json(list(topic_of(content)))
