"""Full-text candidates: sorted by FTS5, reported as plain counts; and what its indexes keep of rows that go.

No caller's text reaches FTS5's query syntax: every word is quoted.
"""

import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from holdfast.model.search import Candidate, Filters
from holdfast.model.type_hints import TYPE_CHECKING
from holdfast.stores.sql.matching import IndexReport, StepwiseMatcher, TermCount

if TYPE_CHECKING:
    from holdfast.stores.sql.tables import Row, Tables
    from holdfast.stores.sqlite.connection import Database

UNTIDY = "untidy"
"""Under which name a store remembers that its indexes hold words of rows that are gone."""

DOUBLE = 8
"""Bytes of a number in what our function of FTS5 reports of a row."""


class RowReport:
    """What our function of FTS5 (`connection.frequencies`) says of a row that matched, and of its index."""

    def __init__(self, row: "Row") -> None:
        self.row_id, report = row
        tokens, documents, length, *often = struct.unpack(f"<{len(report) // DOUBLE}d", report)
        self.tokens, self.documents, self.length = int(tokens), int(documents), int(length)
        self.often: Sequence[float] = often


class Matcher(StepwiseMatcher):
    """Keyword candidates from one indexed table."""

    def __init__(self, tables: "Tables", table: str, weights: tuple[float, ...], budget: int) -> None:
        super().__init__(tables, table, budget)
        self._rank = f"bm25({', '.join(str(weight) for weight in weights)})"

    def _find(self, terms: Sequence[TermCount], filters: Filters, limit: int, width: int) -> IndexReport:
        reports = [RowReport(row) for row in self._rows(terms, filters, limit)] if terms else []
        if not reports:
            return IndexReport((), self._tables.number(f"{self._table}_extent"), 0)
        candidates = [_candidate(report, terms, width) for report in reports]
        return IndexReport(candidates, reports[0].documents, reports[0].tokens)

    def _rows(self, terms: Sequence[TermCount], filters: Filters, limit: int) -> "list[Row]":
        match = " OR ".join(f'"{count.term.word}"' for count in terms)
        params = {"match": match, "rank": self._rank, "limit": limit}
        return self._tables.all(f"{self._table}_match", self._tables.filters(filters) | params)


def _candidate(report: RowReport, terms: Sequence[TermCount], width: int) -> Candidate:
    frequencies = [0.0] * width
    for count, frequency in zip(terms, report.often, strict=True):
        frequencies[count.place] = frequency
    return Candidate(report.row_id, tuple(frequencies), report.length)


@contextmanager
def dead_words_stay(database: "Database", target: str) -> Iterator[None]:
    """Let rows go without taking their words out of the index one by one, which takes thirty times as long.

    The words are marked as dead and go when the index is put together; a scrub does not wait for that.
    """
    database.all(f"{target}_secure", {"secure": 0})
    yield
    database.all(f"{target}_secure", {"secure": 1})
    database.all("meta_set", {"key": UNTIDY, "value": 1})
