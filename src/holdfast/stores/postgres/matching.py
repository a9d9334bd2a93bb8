"""Keyword candidates from postings: bounded by the budget, sorted as FTS5 would, reported as plain counts."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import Struct

from holdfast.model.kinds import GENERIC_ROLES
from holdfast.model.memory import Memory
from holdfast.model.search import Candidate, Filters, Matches, Term
from holdfast.model.session import Turn
from holdfast.model.times import written_day
from holdfast.model.vectors import MEMORY, TURN
from holdfast.stores.analyser import identifiers, tokens
from holdfast.stores.postgres.database import Database
from holdfast.stores.postgres.rows import PostgresTables
from holdfast.stores.postgres.stats import Stats
from holdfast.stores.sql.matching import SqlMatcher
from holdfast.stores.weights import affordable

A_POSTING = {MEMORY: 240, TURN: 195}
"""About how many bytes one takes, in its table and in its index; with what a memory's topic takes. Measured."""

A_ROW = {MEMORY: 850, TURN: 300}
"""About how many bytes a row takes beside its texts, with its indexes. Measured."""

MOST_POSTINGS = 5_000
"""Postings that one statement writes."""

REACH = 4
"""How many of the best are looked at for each that is wanted: some do not pass the filters."""

_POSTING = ("term", "seq", "tf", "dl", "said", "dated")


class Document(Struct, frozen=True):
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


class MatchRow(NamedTuple):
    """A row of the answer to `*_match`. The first is about the terms: how many rows were scored, and hold each."""

    id: str
    number: int
    length: int
    spots: list[int]
    """The places of the terms that it holds."""
    often: list[float]
    """How often each of them stands in it."""
    score: float


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

    def match(
        self, terms: Sequence[Term], filters: Filters, limit: int, most_postings: int | None = None
    ) -> Matches:
        """Return the best candidates that hold any of the terms, and what the index knows of the terms."""
        with self._tables.reading():
            documents, token_count = self._stats.extent(self._target)
            if not documents or not terms:
                return _nothing_found(len(terms), documents)
            budget = min(self._budget, most_postings or self._budget)
            params = self._tables.filters(filters) | {
                "stems": self._tables.texts(term.stem for term in terms),
                "spots": list(range(len(terms))),
                "documents": documents,
                "mean": max(token_count, 1) / documents,
                "budget": budget,
                "limit": limit,
            }
            counts, rows = self._best(params, limit)
        return Matches(
            documents=documents,
            tokens=token_count if rows else 0,
            document_frequencies=tuple(counts),
            searched=tuple(affordable(counts, budget)),
            candidates=tuple(_candidate(row, len(terms)) for row in rows),
        )

    def _best(self, params: dict[str, Any], limit: int) -> tuple[list[int], list[MatchRow]]:
        """Return how often terms stand, and the best rows; where too few of these pass the filters, of all."""
        for reach in (REACH * limit + REACH, None):
            answer = self._database.all(f"{self._table}_match", params | {"reach": reach})
            of_terms, *rows = map(MatchRow._make, answer)
            if len(rows) == limit or of_terms.number <= (reach or of_terms.number):
                break
        return [int(count) for count in of_terms.often], rows

    def put(self, documents: Mapping[int, Document]) -> None:
        """Index documents by the numbers of their rows."""
        postings = [posting for seq, document in documents.items() for posting in self._postings(seq, document)]
        self._write(sorted(postings))
        self._grow(documents.values(), 1)

    def change(self, seq: int, before: Document, after: Document) -> None:
        """Index a document anew: most of its words it had before."""
        gone_terms = [term for term in before.terms if term not in set(after.terms)]
        if gone_terms:
            self._drop_postings(gone_terms, [seq] * len(gone_terms))
        self._write(list(self._postings(seq, after)))
        (_, tokens, size), (_, old_tokens, old_size) = (
            _extent(self._target, [document]) for document in (after, before)
        )
        self._stats.add(self._target, 0, tokens - old_tokens, size - old_size)

    def _write(self, postings: Sequence[tuple[object, ...]]) -> None:
        for start in range(0, len(postings), MOST_POSTINGS):
            columns = zip(*postings[start : start + MOST_POSTINGS], strict=True)
            params = {name: list(column) for name, column in zip(_POSTING, columns, strict=True)}
            self._database.all(f"{self._target}_terms_put", params)

    def _postings(self, seq: int, document: Document) -> Iterator[tuple[object, ...]]:
        """Return what is kept of each index form of a document, in the order of the columns."""
        length = document.length
        for term in document.terms:
            often = [column[term] for column in document.words]
            yield term, seq, _weighted_sum(self._weights, often), length, sum(often[:-1]), often[-1] > 0

    def drop(self, documents: Mapping[int, Document]) -> None:
        """Take documents out of the index."""
        postings = [(term, seq) for seq, document in documents.items() for term in document.terms]
        if postings:
            terms, seqs = zip(*postings, strict=True)
            self._drop_postings(terms, seqs)
        self._grow(documents.values(), -1)

    def _drop_postings(self, terms: Sequence[str], seqs: Sequence[int]) -> None:
        self._database.all(f"{self._target}_terms_drop", {"terms": list(terms), "seqs": list(seqs)})

    def _grow(self, documents: Iterable[Document], sign: int) -> None:
        count, tokens, size = _extent(self._target, documents)
        self._stats.add(self._target, sign * count, sign * tokens, sign * size)


def _extent(target: str, documents: Iterable[Document]) -> tuple[int, int, int]:
    """Return how many documents these are, and how many words and bytes they have."""
    row, posting, document_list = A_ROW[target], A_POSTING[target], list(documents)
    size = sum(document.size + row + posting * len(document.terms) for document in document_list)
    return len(document_list), sum(document.length for document in document_list), size


def _nothing_found(terms: int, documents: int) -> Matches:
    return Matches(
        documents=documents,
        tokens=0,
        document_frequencies=(0,) * terms,
        searched=(True,) * terms,
        candidates=(),
    )


def _weighted_sum(weights: tuple[float, ...], often: Sequence[int]) -> float:
    total = 0.0
    for weight, count in zip(weights, often, strict=True):
        total += weight * count
    return total


def _candidate(row: MatchRow, width: int) -> Candidate:
    frequencies = [0.0] * width
    for spot, count in zip(row.spots, row.often, strict=True):
        frequencies[spot] = count
    return Candidate(row.id, tuple(frequencies), row.length)
