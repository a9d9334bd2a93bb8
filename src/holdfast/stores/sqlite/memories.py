"""Memories, turns and findings of an embedded store: what changes them, and how FTS5 and topics find them.

FTS5 sorts candidates and reports plain counts. No caller's text reaches its query syntax: every word is quoted.
"""

import json
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property

from msgspec.structs import replace

from holdfast.model.finding import Finding
from holdfast.model.ids import time_of
from holdfast.model.kinds import PINNED
from holdfast.model.limits import READS_KEEP
from holdfast.model.memory import Memory
from holdfast.model.search import Candidate, Filters
from holdfast.model.session import Turn
from holdfast.stores.sql.matching import IndexReport, StepwiseMatcher, TermCount
from holdfast.stores.sql.memories import SqlMemories, SqlTopics, retopics, reworded, topic_rows
from holdfast.stores.sql.sessions import SqlFindings, SqlTurns
from holdfast.stores.sql.tables import Row, Tables
from holdfast.stores.sqlite.connection import Database, Value
from holdfast.stores.sqlite.rows import SCRUB_PENDING, SqliteTables, evidence_rows
from holdfast.stores.topics import topic_of
from holdfast.stores.weights import MEMORY_WEIGHTS, TURN_WEIGHTS

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


UNTIDY = "untidy"
"""Under which name a store remembers that its indexes hold words of rows that are gone."""

DOUBLE = 8
"""Bytes of a number in what our function of FTS5 reports of a row."""


class RowReport:
    """What our function of FTS5 (`connection.frequencies`) says of a row that matched, and of its index."""

    def __init__(self, row: Row) -> None:
        self.row_id, report = row
        tokens, documents, length, *often = struct.unpack(f"<{len(report) // DOUBLE}d", report)
        self.tokens, self.documents, self.length = int(tokens), int(documents), int(length)
        self.often: Sequence[float] = often


class Matcher(StepwiseMatcher):
    """Keyword candidates from one indexed table."""

    def __init__(self, tables: Tables, table: str, weights: tuple[float, ...], budget: int) -> None:
        super().__init__(tables, table, budget)
        self._rank = f"bm25({', '.join(str(weight) for weight in weights)})"

    def _find(self, terms: Sequence[TermCount], filters: Filters, limit: int, width: int) -> IndexReport:
        reports = [RowReport(row) for row in self._rows(terms, filters, limit)] if terms else []
        if not reports:
            return IndexReport((), self._tables.number(f"{self._table}_extent"), 0)
        candidates = tuple(_candidate(report, terms, width) for report in reports)
        return IndexReport(candidates, reports[0].documents, reports[0].tokens)

    def _rows(self, terms: Sequence[TermCount], filters: Filters, limit: int) -> list[Row]:
        match = " OR ".join(f'"{count.term.word}"' for count in terms)
        params = {"match": match, "rank": self._rank, "limit": limit}
        return self._tables.all(f"{self._table}_match", self._tables.filters(filters) | params)


def _candidate(report: RowReport, terms: Sequence[TermCount], width: int) -> Candidate:
    frequencies = [0.0] * width
    for count, frequency in zip(terms, report.often, strict=True):
        frequencies[count.place] = frequency
    return Candidate(report.row_id, tuple(frequencies), report.length)


@contextmanager
def dead_words_stay(database: Database, target: str) -> Iterator[None]:
    """Let rows go without taking their words out of the index one by one, which takes thirty times as long.

    The words are marked as dead and go when the index is put together; a scrub does not wait for that.
    """
    database.all(f"{target}_secure", {"secure": 0})
    yield
    database.all(f"{target}_secure", {"secure": 1})
    database.all("meta_set", {"key": UNTIDY, "value": 1})


class SqliteMemories(SqlMemories):
    """`ports.Memories` on SQLite."""

    def __init__(
        self, database: Database, postings_budget: int, fading: Callable[[Memory], int | None] | None = None
    ) -> None:
        tables = SqliteTables(database)
        index = Matcher(tables, "memories", MEMORY_WEIGHTS, postings_budget)
        super().__init__(tables, index, fading)
        self._database = database

    @cached_property
    def _topics(self) -> "Topics":
        from holdfast.stores.sqlite.memories import Topics  # who only reads needs none

        return Topics(self._database)

    def newest(self, filters: Filters, limit: int) -> list[Memory]:
        if filters.statuses != (PINNED,):
            return super().newest(filters, limit)
        return self._tables.select(Memory, "memories_pinned", self._tables.filters(filters) | {"limit": limit})

    def history(self, memory_id: str) -> list[Memory]:
        return self._tables.select(Memory, "memories_history", {"id": memory_id})

    def insert(self, memories: Sequence[Memory]) -> None:
        self._database.many("memory_insert", map(self._row, memories))
        first = self._database.last_row() - len(memories) + 1
        self._topics.put(enumerate(memories, first))
        self._log("insert", [memory.id for memory in memories])

    def replace(self, memory: Memory) -> None:
        [before] = self.get([memory.id])
        row = self._row(memory)
        if reworded(before, memory):
            self._database.all("memory_rewrite", row)
        self._database.all("memory_settle", row)
        if retopics(before, memory):
            self._topics.drop([before])
            self._topics.put_again(memory)
        self._log("update", [memory.id])

    def count_read(self, ids: Sequence[str], at: int) -> None:
        params = {"ids": self._tables.ids(ids), "enough": READS_KEEP}
        if self._database.one("fading_clears", params):
            self._database.all("meta_add", {"key": "fading_mark", "value": 1})
        rows = self._database.all("memories_count_read", params | {"at": at})
        self._database.all("meta_add", {"key": "total_reads", "value": len(rows)})

    def delete(self, ids: Sequence[str]) -> None:
        self._remove(ids)
        self._tables.note(SCRUB_PENDING, 1)

    def evict(self, ids: Sequence[str]) -> None:
        with dead_words_stay(self._database, "memory"):
            self._remove(ids)

    def _remove(self, ids: Sequence[str]) -> None:
        params = {"ids": self._tables.ids(ids)}
        self._topics.drop(self.get(ids))
        self._release(params)
        self._database.all("conflicts_delete", params)
        self._database.all("proposals_delete", params)
        self._log("delete", ids)
        self._database.all("memories_delete", params)

    def _release(self, params: Mapping[str, Value]) -> None:
        """Let go of what the removed memories had superseded; it stays history."""
        predecessors = self._tables.select(Memory, "memories_superseded_by", params)
        self._tables.put("memory_settle", (replace(memory, superseded_by=None) for memory in predecessors))

    def _log(self, action: str, ids: Sequence[str]) -> None:
        self._database.all("memories_changed", {"ids": self._tables.ids(ids), "action": action})


_ORDER_COLUMNS = 2
"""Columns behind those of a turn that only say where it stands."""


class SqliteTurns(SqlTurns):
    """`ports.Turns` on SQLite."""

    def __init__(self, database: Database, postings_budget: int) -> None:
        tables = SqliteTables(database)
        super().__init__(tables, Matcher(tables, "turns", TURN_WEIGHTS, postings_budget))
        self._database = database

    def around(self, ids: Sequence[str], before: int, after: int) -> list[Turn]:
        params = {"ids": self._tables.ids(ids), "before": before, "after": after}
        rows = self._tables.all("turns_around", params)
        return self._tables.values(Turn, [row[:-_ORDER_COLUMNS] for row in rows])

    def insert(self, turns: Sequence[Turn]) -> None:
        self._tables.put("turn_insert", turns)
        self._database.many("turn_counted", map(_turn_counts, turns))
        self._log("insert", [turn.id for turn in turns])

    def replace(self, turn: Turn) -> None:
        self._database.all("turn_replace", self._tables.row(turn))
        self._log("update", [turn.id])
        self._tables.note(SCRUB_PENDING, 1)

    def delete(self, ids: Sequence[str]) -> None:
        params = {"ids": self._tables.ids(ids)}
        with dead_words_stay(self._database, "turn"):
            self._database.all("findings_unfounded", params)
            self._log("delete", ids)
            self._database.all("turns_delete", params)

    def _log(self, action: str, ids: Sequence[str]) -> None:
        self._database.all("turns_changed", {"ids": self._tables.ids(ids), "action": action})


class SqliteFindings(SqlFindings):
    """`ports.Findings` on SQLite."""

    def delete(self, ids: Sequence[str]) -> None:
        super().delete(ids)
        self._tables.note(SCRUB_PENDING, 1)

    def _put_evidence(self, findings: Sequence[Finding]) -> None:
        self._tables.many("evidence_clear", ({"id": finding.id} for finding in findings))
        self._tables.many("evidence_put", (row for finding in findings for row in evidence_rows(finding)))


def _turn_counts(turn: Turn) -> dict[str, Value]:
    return {"session": turn.session, "tool": turn.tool, "at": turn.at, "heard": time_of(turn.id)}
