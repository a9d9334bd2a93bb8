"""What memories are about, in a table of its own: kept with the rows, and made anew from them."""

import json
from collections.abc import Iterable, Mapping, Sequence

from holdfast.model.memory import Memory
from holdfast.model.type_hints import TYPE_CHECKING, cast
from holdfast.stores.sqlite.connection import Database
from holdfast.stores.sqlite.rows import numbered_memory, to_json
from holdfast.stores.sqlite.seals import readable
from holdfast.stores.topics import ASKED, MOST_TICKETS, SIZES, nearest, topic_of

if TYPE_CHECKING:
    from holdfast.stores.sqlite.connection import Value

_CHUNK = 1_000


class Topics:
    """The words that the memories of one database are found by."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, memories: Iterable[tuple[int, Memory]]) -> None:
        """Let memories be found, those that hold, by the numbers of their rows."""
        self._fill((number, one.content) for number, one in memories if not one.superseded)

    def put_again(self, memory: Memory) -> None:
        """Let one be found whose row was there before."""
        row = self._database.one("memory_number", {"id": memory.id})
        self.put([(cast(int, row[0]), memory)] if row else [])

    def drop(self, memories: Iterable[Memory]) -> None:
        """Let memories not be found any more."""
        self._database.many("topic_drop", ({"id": one.id, "words": _words(one.content)} for one in memories))

    def akin(self, texts: Sequence[str], limit: int) -> list[list[Memory]]:
        """Return the memories that share most of the topic of each text, best first."""
        topics = [topic_of(text, ASKED) for text in texts]
        words = list({word for topic in topics for word in topic})
        params: Mapping[str, Value] = {"words": to_json(words), "most": MOST_TICKETS, "sizes": SIZES}
        row = self._database.one("topics_of", params)
        found = json.loads(cast(str, row[0])) if row else ()
        tickets = {word: known for word, known in zip(words, found, strict=True) if known}
        near = [nearest(topic, tickets, limit) for topic in topics]
        known = self._numbered({number for numbers in near for number in numbers})
        return [[known[number] for number in numbers if number in known] for numbers in near]

    def refill(self) -> None:
        """Make the table anew from the rows, inside a transaction; reads no column of theirs that came later."""
        self._database.all("topics_clear")
        after = 0
        while rows := cast(
            "list[tuple[int, str]]", self._database.all("topics_due", {"after": after, "limit": _CHUNK})
        ):
            self._fill(rows)
            after = rows[-1][0]

    def _fill(self, texts: "Iterable[tuple[int, str]]") -> None:
        """Write the words of rows, in the order of the table: that is where an index is filled fastest."""
        told = [(seq, topic_of(text)) for seq, text in texts]
        rows = sorted((word, seq, len(topic)) for seq, topic in told for word in topic)
        self._database.many("topic_put", ({"word": word, "memory": seq, "size": size} for word, seq, size in rows))

    def _numbered(self, numbers: set[int]) -> dict[int, Memory]:
        if not numbers:
            return {}
        rows = self._database.all("memories_numbered", {"numbers": to_json(list(numbers))})
        return dict(readable(self._database, "memory", numbered_memory, rows))


def _words(content: str) -> str:
    return to_json(list(topic_of(content)))
