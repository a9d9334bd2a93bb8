"""Keyword candidates of a SQL store, bounded by the postings budget; how they are found is the backend's."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from msgspec import Struct

from holdfast.model.search import Candidate, Filters, Matches, Term
from holdfast.stores.sql.tables import NamedFacet, Tables, Walk
from holdfast.stores.weights import affordable


class TermCount(Struct, frozen=True):
    """A term that is looked for: its place among those asked for, and how many documents hold it."""

    term: Term
    place: int
    documents: int


class IndexReport(Struct, frozen=True):
    """What an index holds for some terms: candidates, and how many documents and words there are in all."""

    candidates: tuple[Candidate, ...]
    documents: int
    tokens: int
    """Nought where there are no candidates."""


class SqlMatcher(ABC):
    """The index of one table."""

    def __init__(self, tables: Tables, table: str, budget: int) -> None:
        self._tables = tables
        self._table = table
        self._budget = budget

    @abstractmethod
    def match(
        self, terms: Sequence[Term], filters: Filters, limit: int, most_postings: int | None = None
    ) -> Matches:
        """Return the best candidates that hold any of the terms, and what the index knows of the terms."""

    def words(self, lead: str) -> dict[str, int]:
        """Return the index forms that begin so, with the number of documents that hold each."""
        return dict(self._tables.all(f"{self._table}_words", {"lead": self._tables.text(lead)}))


class StepwiseMatcher(SqlMatcher):
    """An index that is asked one thing after the other, as costs nothing in the same process."""

    def match(
        self, terms: Sequence[Term], filters: Filters, limit: int, most_postings: int | None = None
    ) -> Matches:
        with self._tables.reading():
            counts = document_frequencies(self._tables, self._table, terms)
            searched_counts = affordable(counts, min(self._budget, most_postings or self._budget))
            present = [
                TermCount(terms[place], place, counts[place])
                for place, term_count in enumerate(searched_counts)
                if term_count and counts[place]
            ]
            report = self._find(present, filters, limit, len(terms))
        return Matches(
            documents=report.documents,
            tokens=report.tokens,
            document_frequencies=tuple(counts),
            searched=tuple(searched_counts),
            candidates=report.candidates,
        )

    @abstractmethod
    def _find(self, terms: Sequence[TermCount], filters: Filters, limit: int, width: int) -> IndexReport:
        """Return the best candidates; each has the frequencies of `width` terms."""


class IndexedFacet(NamedFacet):
    """A facet whose entries are found by their words."""

    def __init__(self, tables: Tables, index: SqlMatcher) -> None:
        super().__init__(tables)
        self._index = index
        self._walk = Walk(tables, f"{self.entries}_walk")

    def match(
        self, terms: Sequence[Term], filters: Filters, limit: int, most_postings: int | None = None
    ) -> Matches:
        """Return the best candidates that hold any of the terms, and what the index knows of the terms."""
        return self._index.match(terms, filters, limit, most_postings)

    def words(self, lead: str) -> dict[str, int]:
        """Return the index forms that begin so, with the number of documents that hold each."""
        return self._index.words(lead)


def document_frequencies(tables: Tables, table: str, terms: Sequence[Term]) -> list[int]:
    """Return in how many documents of a table each term stands."""
    rows = tables.all(f"{table}_frequencies", {"stems": tables.texts(term.stem for term in terms)})
    counts: dict[str, int] = dict(rows)
    return [counts.get(term.stem, 0) for term in terms]
