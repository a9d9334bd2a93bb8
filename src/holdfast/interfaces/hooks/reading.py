"""What a hook reads from a store: a read-only connection, a few queries, plain rows. Light.

The only module of the hooks that names a backend. It never waits for a lock longer than a moment, and leaves the
write-ahead log as it found it: the last to close would otherwise move it into the file.
"""

import json
import os
import struct

from holdfast import places
from holdfast.errors import StoreError
from holdfast.interfaces.hooks import trace
from holdfast.ownership import owned
from holdfast.stores.sqlite.connection import READ, Database
from holdfast.stores.weights import MEMORY_WEIGHTS, TURN_WEIGHTS, affordable

TYPE_CHECKING = False  # typing's own, without importing typing
if TYPE_CHECKING:
    from holdfast.stores.sqlite.connection import Row

BUSY_MS = 20
POSTINGS, TURN_POSTINGS = 2_500, 1_500
"""Index entries that one question may read: fewer than a search at leisure."""

_MEMORIES, _TURNS = "memories", "turns"


class Reading:
    """One store, open to read."""

    def __init__(self, path: str) -> None:
        self._database = Database(path, busy_ms=BUSY_MS, access=READ)

    def close(self) -> None:
        """Let go of the store, and leave its log."""
        self._database.leave_log()

    def rows(self, query: str, **params: "int | str | None") -> "list[Row]":
        """Run a named query."""
        return self._database.all(query, params)

    def memories(self, words: "dict[str, str]", now: int, limit: int) -> "Found":
        """Return the best memories that hold some of these words, which are given by their index form."""
        params: dict[str, int | str] = {"now": now, "limit": limit}
        return self._match("hook_candidates", (_MEMORIES, MEMORY_WEIGHTS, POSTINGS), words, params)

    def turns(self, words: "dict[str, str]", ref: str, limit: int) -> "Found":
        """Return the best turns of other sessions that hold some of these words."""
        params: dict[str, int | str] = {"ref": ref, "limit": limit}
        return self._match("hook_turns", (_TURNS, TURN_WEIGHTS, TURN_POSTINGS), words, params)

    def _match(
        self,
        query: str,
        index: "tuple[str, tuple[float, ...], int]",
        words: "dict[str, str]",
        params: "dict[str, int | str]",
    ) -> "Found":
        table, weights, budget = index
        stems = list(words)
        rows = self._database.all(f"{table}_frequencies", {"stems": json.dumps(stems)})
        counted = {row[0]: _number(row[1]) for row in rows}
        counts = [counted.get(stem, 0) for stem in stems]
        looked = affordable(counts, budget)
        present = [place for place, count in enumerate(counts) if looked[place] and count]
        extent = self._database.one(f"{table}_extent")
        found = Found(counts, _number(extent[0] if extent else 0))
        if present:
            match = " OR ".join(f'"{words[stems[place]]}"' for place in present)
            rank = f"bm25({', '.join(map(str, weights))})"
            for row in self._database.all(query, params | {"match": match, "rank": rank}):
                found.add(row, present, len(stems))
        return found


class Found:
    """Candidates of one store: how often each term stands in each, and in how many documents at all."""

    __slots__ = ("counts", "documents", "rows")

    def __init__(self, counts: "list[int]", documents: int) -> None:
        self.counts = counts
        self.documents = documents
        self.rows: list[tuple[Row, list[float]]] = []

    def add(self, row: "Row", present: "list[int]", width: int) -> None:
        """Take a candidate with what the index reports of it."""
        packed = row[1] if isinstance(row[1], bytes) else b""
        report = struct.unpack(f"<{len(packed) // 8}d", packed)
        frequencies = [0.0] * width
        for place, frequency in zip(present, report[3:], strict=False):
            frequencies[place] = frequency
        self.rows.append((row, frequencies))


def project_store(database: str) -> "Reading | None":
    """Open the project's store, if there is one and this user made it."""
    if not os.path.lexists(database):
        return None
    if not owned(database, os.path.join(places.data_directory(), "stores")):
        trace.leave("the store is not one that you made, or is damaged; it was not opened", step="brief")
        return None
    return _opened(database)


def user_store() -> "Reading | None":
    """Open the user's own store, if there is one; it is trusted by its place."""
    path = os.path.join(places.data_directory(), "memory.db")
    return _opened(path) if os.path.isfile(path) else None


def _opened(path: str) -> "Reading | None":
    """Open a store; one that is locked or cannot be read costs what it holds, and not the rest of a brief."""
    try:
        return Reading(path)
    except StoreError as error:
        trace.leave(trace.describe(error), step="brief")
        return None


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0
