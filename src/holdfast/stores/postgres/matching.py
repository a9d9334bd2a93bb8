"""Keyword candidates from postings: bounded by the budget, sorted as FTS5 would, reported as plain counts."""

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.model.kinds import GENERIC_ROLES
from holdfast.model.memory import Memory
from holdfast.model.search import Candidate, Filters
from holdfast.model.session import Turn
from holdfast.model.times import written_day
from holdfast.model.vectors import MEMORY, TURN
from holdfast.stores.analyser import identifiers, tokens
from holdfast.stores.postgres import bulk
from holdfast.stores.postgres.connection import Database
from holdfast.stores.postgres.rows import PostgresTables
from holdfast.stores.postgres.stats import Stats
from holdfast.stores.sql.matching import IndexReport, SqlMatcher, TermCount

if TYPE_CHECKING:
    from holdfast.stores.postgres.connection import Row

_LEAST_IDF = 1e-6
"""What FTS5 takes for a word that stands in more than half of all documents."""

A_POSTING = {MEMORY: 240, TURN: 195}
"""About how many bytes one takes, in its table and in its index; with what a memory's topic takes. Measured."""

A_ROW = {MEMORY: 850, TURN: 300}
"""About how many bytes a row takes beside its texts, with its indexes. Measured."""

BULK_FROM = 5_000
"""Postings from which on they are sent as one stream."""

_POSTING = ("term", "seq", "tf", "dl", "said", "dated")


@dataclass(frozen=True, slots=True)
class Document:
    """What is indexed of a row: how often each index form stands in each column, and the bytes of its texts."""

    words: list[Counter[str]]
    size: int

    @property
    def terms(self) -> list[str]:
        """Every index form once."""
        return sorted({term for column in self.words for term in column})

    @property
    def length(self) -> int:
        """How many words there are."""
        return sum(column.total() for column in self.words)


def memory_document(memory: Memory) -> Document:
    """Return what is indexed of a memory, in the order of `weights.MEMORY_COLUMNS`."""
    files = " ".join(memory.files)
    parts = identifiers(memory.title, memory.content, memory.context, files)
    return _document(
        memory.content, memory.title, " ".join(memory.tags), files, memory.context, memory.kind, parts
    )


def turn_document(turn: Turn) -> Document:
    """Return what is indexed of a turn, in the order of `weights.TURN_COLUMNS`."""
    files = " ".join(turn.files)
    speaker = "" if turn.role.lower() in GENERIC_ROLES else turn.role
    return _document(turn.text, files, speaker, identifiers(turn.text, files), written_day(turn.at))


def _document(*texts: str) -> Document:
    return Document([Counter(tokens(text)) for text in texts], sum(len(text.encode()) for text in texts))


class Matcher(SqlMatcher):
    """The index of one table: its postings, its extent, and candidates from it."""

    def __init__(
        self, database: Database, table: str, target: str, weights: tuple[float, ...], budget: int
    ) -> None:
        super().__init__(PostgresTables(database), table, budget)
        self._database = database
        self._stats = Stats(database)
        self._target = target
        self._weights = weights

    def _find(self, terms: Sequence[TermCount], filters: Filters, limit: int, width: int) -> IndexReport:
        documents, tokens = self._stats.extent(self._target)
        if not terms:
            return IndexReport((), documents, tokens)
        params = self._tables.filters(filters) | {
            "stems": [count.term.stem for count in terms],
            "idfs": [_idf(documents, count.documents) for count in terms],
            "spots": [count.place for count in terms],
            "mean": max(tokens, 1) / max(documents, 1),
            "limit": limit,
        }
        rows = self._tables.all(f"{self._table}_match", params)
        return IndexReport([_candidate(row, width) for row in rows], documents, tokens)

    def put(self, documents: Mapping[int, Document]) -> None:
        """Index documents by the numbers of their rows."""
        postings = [posting for seq, document in documents.items() for posting in self._postings(seq, document)]
        if len(postings) < BULK_FROM:
            columns = list(zip(*postings, strict=True)) if postings else [()] * len(_POSTING)
            params = {name: list(column) for name, column in zip(_POSTING, columns, strict=True)}
            self._database.all(f"{self._target}_terms_put", params)
        else:
            names = _POSTING if self._target == TURN else _POSTING[:4]
            tenant_and_place = list(self._database.with_place(None).values())
            rows = ([*tenant_and_place, *posting[: len(names)]] for posting in postings)
            bulk.load(self._database, f"{self._target}_term", ["tenant", "place", *names], rows)
        self._grow(documents.values(), 1)

    def _postings(self, seq: int, document: Document) -> Iterator[tuple[object, ...]]:
        """Return what is kept of each index form of a document, in the order of the columns."""
        length = document.length
        for term in document.terms:
            often = [column[term] for column in document.words]
            yield term, seq, _weighted_sum(self._weights, often), length, sum(often[:-1]), often[-1] > 0

    def drop(self, documents: Mapping[int, Document]) -> None:
        """Take documents out of the index."""
        postings = [(term, seq) for seq, document in documents.items() for term in document.terms]
        terms, seqs = zip(*postings, strict=True) if postings else ((), ())
        self._database.all(f"{self._target}_terms_drop", {"terms": list(terms), "seqs": list(seqs)})
        self._grow(documents.values(), -1)

    def _grow(self, documents: Collection[Document], sign: int) -> None:
        tokens = sum(document.length for document in documents)
        row, posting = A_ROW[self._target], A_POSTING[self._target]
        size = sum(document.size + row + posting * len(document.terms) for document in documents)
        self._stats.add(self._target, sign * len(documents), sign * tokens, sign * size)


def _idf(documents: int, holding: int) -> float:
    """FTS5's own, which decides who is a candidate."""
    return max(_LEAST_IDF, math.log((documents - holding + 0.5) / (holding + 0.5)))


def _weighted_sum(weights: tuple[float, ...], often: Sequence[int]) -> float:
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
