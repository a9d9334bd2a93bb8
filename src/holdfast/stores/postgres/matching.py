"""Keyword candidates from postings: bounded by the budget, sorted as FTS5 would, reported as plain counts."""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from holdfast.model.search import Candidate, Filters, Matches, Term
from holdfast.model.vectors import MEMORY, TURN
from holdfast.stores.postgres import bulk
from holdfast.stores.postgres.connection import Database
from holdfast.stores.postgres.rows import Document, filter_row, sought
from holdfast.stores.postgres.stats import Stats
from holdfast.stores.weights import affordable

if TYPE_CHECKING:
    from holdfast.stores.postgres.connection import Row

_LEAST_IDF = 1e-6
A_POSTING = {MEMORY: 240, TURN: 195}
"""About how many bytes one takes, in its table and in its index; with what a memory's topic takes. Measured."""

A_ROW = {MEMORY: 850, TURN: 300}
"""About how many bytes a row takes beside its texts, with its indexes. Measured."""

BULK_FROM = 5_000
"""Postings from which on they are sent as one stream."""

_POSTING = ("term", "seq", "tf", "dl", "said", "dated")


class Matcher:
    """The index of one table: its postings, its extent, and candidates from it."""

    def __init__(
        self, database: Database, table: str, target: str, weights: tuple[float, ...], budget: int
    ) -> None:
        self._database = database
        self._stats = Stats(database)
        self._table = table
        self._target = target
        self._weights = weights
        self._budget = budget

    def match(
        self, terms: Sequence[Term], filters: Filters, limit: int, most_postings: int | None = None
    ) -> Matches:
        """Return the best candidates that hold any of the terms, and what the index knows of the terms."""
        with self._database.reading():
            documents, tokens = self._stats.extent(self._target)
            counts = self._document_frequencies(terms)
            searched = affordable(counts, min(self._budget, most_postings or self._budget))
            present = [place for place, looked in enumerate(searched) if looked and counts[place]]
            params = filter_row(filters) | {
                "stems": [terms[place].stem for place in present],
                "idfs": [_idf(documents, counts[place]) for place in present],
                "spots": present,
                "mean": max(tokens, 1) / max(documents, 1),
                "limit": limit,
            }
            rows = self._database.all(f"{self._table}_match", params) if present else []
        candidates = tuple(_candidate(row, len(terms)) for row in rows)
        return Matches(
            documents=documents,
            tokens=tokens if rows else 0,
            document_frequencies=tuple(counts),
            searched=tuple(searched),
            candidates=candidates,
        )

    def words(self, lead: str) -> dict[str, int]:
        """Return the index forms that begin so, with the number of documents that hold each."""
        return dict(self._database.all(f"{self._table}_words", {"lead": sought(lead)}))

    def affordable(self, terms: Sequence[Term]) -> list[bool]:
        """Say which terms to look for: the most frequent are left out when there is too much to read."""
        return affordable(self._document_frequencies(terms), self._budget)

    def put(self, documents: Mapping[int, Document]) -> None:
        """Index documents by the numbers of their rows."""
        postings = [posting for seq, document in documents.items() for posting in self._postings(seq, document)]
        if len(postings) < BULK_FROM:
            columns = list(zip(*postings, strict=True)) if postings else [()] * len(_POSTING)
            params = {name: list(column) for name, column in zip(_POSTING, columns, strict=True)}
            self._database.all(f"{self._target}_terms_put", params)
        else:
            names = _POSTING if self._target == TURN else _POSTING[:4]
            whose = list(self._database.with_place(None).values())
            rows = ([*whose, *posting[: len(names)]] for posting in postings)
            bulk.load(self._database, f"{self._target}_term", ["tenant", "place", *names], rows)
        self._grow(documents.values(), 1)

    def _postings(self, seq: int, document: Document) -> Iterator[tuple[object, ...]]:
        """Return what is kept of each index form of a document, in the order of the columns."""
        length = document.length
        for term in document.terms:
            often = [column[term] for column in document.words]
            yield term, seq, _weighted(self._weights, often), length, sum(often[:-1]), often[-1] > 0

    def drop(self, documents: Mapping[int, Document]) -> None:
        """Take documents out of the index."""
        gone = [(term, seq) for seq, document in documents.items() for term in document.terms]
        terms, seqs = zip(*gone, strict=True) if gone else ((), ())
        self._database.all(f"{self._target}_terms_drop", {"terms": list(terms), "seqs": list(seqs)})
        self._grow(documents.values(), -1)

    def _grow(self, documents: Collection[Document], sign: int) -> None:
        tokens = sum(document.length for document in documents)
        row, posting = A_ROW[self._target], A_POSTING[self._target]
        size = sum(document.size + row + posting * len(document.terms) for document in documents)
        self._stats.add(self._target, sign * len(documents), sign * tokens, sign * size)

    def _document_frequencies(self, terms: Sequence[Term]) -> list[int]:
        stems = [sought(term.stem) for term in terms]
        found: dict[str, int] = dict(self._database.all(f"{self._table}_frequencies", {"stems": stems}))
        return [found.get(stem, 0) for stem in stems]


def _idf(documents: int, holding: int) -> float:
    """FTS5's own, which decides who is a candidate."""
    return max(_LEAST_IDF, math.log((documents - holding + 0.5) / (holding + 0.5)))


def _weighted(weights: tuple[float, ...], often: Sequence[int]) -> float:
    total = 0.0
    for weight, count in zip(weights, often, strict=True):
        total += weight * count
    return total


def _candidate(row: "Row", width: int) -> Candidate:
    row_id, length, spots, often = row
    frequencies = [0.0] * width
    for spot, count in zip(spots, often, strict=True):
        frequencies[spot] = count
    return Candidate(row_id, tuple(frequencies), length)
