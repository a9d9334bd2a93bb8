"""Full-text candidates: sorted by FTS5, reported as plain counts; and what its indexes keep of rows that go.

No caller's text reaches FTS5's query syntax: every word is quoted.
"""

import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice

from holdfast.model.search import Candidate, Filters, Matches, Term
from holdfast.model.type_hints import TYPE_CHECKING
from holdfast.stores.sql.matching import IndexReport, StepwiseMatcher, TermCount
from holdfast.stores.weights import affordable

if TYPE_CHECKING:
    from holdfast.stores.sql.tables import Row, Tables
    from holdfast.stores.sqlite.connection import Database
    from holdfast.stores.sqlite.postings import Postings

UNTIDY = "untidy"
"""Under which name a store remembers that its indexes hold words of rows that are gone."""

ASKED_OFTEN = 20
"""Questions after which words are held: to begin with that takes as long as so many of them."""

SPARE_ROWS = 10
"""Rows that are looked at beyond those wanted: most stores hide a few."""

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


class MemoryMatcher(Matcher):
    """Keyword candidates among memories; a process that asks often holds the words that it asks for."""

    def __init__(self, tables: "Tables", database: "Database", weights: tuple[float, ...], budget: int) -> None:
        super().__init__(tables, "memories", weights, budget)
        self._database = database
        self._questions = 0
        self._postings: Postings | None = None

    def match(
        self, terms: Sequence[Term], filters: Filters, limit: int, most_postings: int | None = None
    ) -> Matches:
        with self._tables.reading():
            postings = None if filters.restrict else self._held()
            if postings is None:
                return super().match(terms, filters, limit, most_postings)
            counts = [postings.holding(term.stem) for term in terms]
            searched = affordable(counts, min(self._budget, most_postings or self._budget))
            stems = [
                term.stem
                for term, is_searched, count in zip(terms, searched, counts, strict=True)
                if is_searched and count
            ]
            rows = self._best(postings, stems, filters, limit)
            frequencies = {stem: postings.frequencies(stem, list(rows)) for stem in stems}
        absent = [0.0] * len(rows)
        columns = [frequencies.get(term.stem, absent) for term in terms]
        return Matches(
            documents=postings.documents,
            tokens=postings.tokens if rows else 0,
            document_frequencies=tuple(counts),
            searched=tuple(searched),
            candidates=tuple(
                Candidate(row_id, often, postings.length(row))
                for (row, row_id), often in zip(rows.items(), zip(*columns, strict=True), strict=True)
            ),
        )

    def _held(self) -> "Postings | None":
        """Return the words that are held; None where they are not worth it yet, or not to be believed."""
        self._questions += 1
        if self._questions < ASKED_OFTEN:
            return None
        from holdfast.embedding.scan import has_numpy  # a hook asks once, and goes without

        if not has_numpy():
            return None
        if self._postings is None:
            from holdfast.stores.sqlite.postings import Postings

            self._postings = Postings(self._database)
        return self._postings if self._postings.current() else None

    def _best(self, postings: "Postings", stems: Sequence[str], filters: Filters, limit: int) -> dict[int, str]:
        """Return the best rows that count, with their ids, best first."""
        best: dict[int, str] = {}
        for rows in postings.best(stems, limit + SPARE_ROWS) if stems and limit > 0 else ():
            params = self._tables.filters(filters) | {"rows": self._tables.numbers(rows)}
            ids: dict[int, str] = dict(self._tables.all("memories_holding", params))
            best.update((row, ids[row]) for row in rows if row in ids)
            if len(best) >= limit:
                break
        return dict(islice(best.items(), limit))


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
