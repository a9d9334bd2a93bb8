"""Full-text candidates: bounded by the postings budget, sorted by FTS5, reported as plain counts.

No caller's text reaches FTS5's query syntax: every word is quoted.
"""

import struct
from collections.abc import Sequence

from holdfast.model.search import Candidate, Filters, Matches, Term
from holdfast.model.type_hints import TYPE_CHECKING, cast
from holdfast.stores.sqlite.connection import Database
from holdfast.stores.sqlite.rows import filter_row, to_json
from holdfast.stores.weights import affordable

if TYPE_CHECKING:
    from holdfast.stores.sqlite.connection import Row


class Matcher:
    """Keyword candidates from one indexed table."""

    def __init__(self, database: Database, table: str, weights: tuple[float, ...], budget: int) -> None:
        self._database = database
        self._table = table
        self._rank = f"bm25({', '.join(str(weight) for weight in weights)})"
        self._budget = budget

    def match(
        self, terms: Sequence[Term], filters: Filters, limit: int, most_postings: int | None = None
    ) -> Matches:
        """Return the best candidates that hold any of the terms, and what the index knows of the terms."""
        with self._database.reading():
            counts = self._document_frequencies(terms)
            searched = affordable(counts, min(self._budget, most_postings or self._budget))
            present = [place for place, looked in enumerate(searched) if looked and counts[place]]
            rows = self._candidates([terms[place] for place in present], filters, limit)
            candidates = tuple(_candidate(row, present, len(terms)) for row in rows)
            tokens, documents = _extent(rows[0]) if rows else (0, self._count())
        return Matches(
            documents=documents,
            tokens=tokens,
            document_frequencies=tuple(counts),
            searched=tuple(searched),
            candidates=candidates,
        )

    def words(self, lead: str) -> dict[str, int]:
        """Return the index forms that begin so, with the number of documents that hold each."""
        rows = self._database.all(f"{self._table}_words", {"lead": lead})
        return dict(cast("list[tuple[str, int]]", rows))

    def _document_frequencies(self, terms: Sequence[Term]) -> list[int]:
        stems = to_json([term.stem for term in terms])
        rows = self._database.all(f"{self._table}_frequencies", {"stems": stems})
        found = dict(cast("list[tuple[str, int]]", rows))
        return [found.get(term.stem, 0) for term in terms]

    def _candidates(self, terms: list[Term], filters: Filters, limit: int) -> "list[Row]":
        if not terms:
            return []
        params = filter_row(filters)
        params["match"] = " OR ".join(f'"{term.word}"' for term in terms)
        params["rank"] = self._rank
        params["limit"] = limit
        return self._database.all(f"{self._table}_match", params)

    def _count(self) -> int:
        row = self._database.one(f"{self._table}_extent")
        return cast(int, row[0]) if row else 0


def _report(row: "Row") -> tuple[float, ...]:
    packed = cast(bytes, row[1])
    return struct.unpack(f"<{len(packed) // 8}d", packed)


def _extent(row: "Row") -> tuple[int, int]:
    report = _report(row)
    return int(report[0]), int(report[1])


def _candidate(row: "Row", present: list[int], width: int) -> Candidate:
    report = _report(row)
    frequencies = [0.0] * width
    for place, frequency in zip(present, report[3:], strict=True):
        frequencies[place] = frequency
    return Candidate(cast(str, row[0]), tuple(frequencies), int(report[2]))
