"""Full-text candidates, computed the plain way, every document is looked at; and what passes the filters."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from holdfast.model.kinds import TOOL_ROLES
from holdfast.model.memory import Memory
from holdfast.model.search import Candidate, Filters, Matches, Term
from holdfast.model.session import Session, Turn
from holdfast.stores.analyser import tokens
from holdfast.stores.weights import FTS5_B, FTS5_K1, FTS5_LEAST_IDF, affordable


class Index:
    """The words of each document, by column."""

    def __init__(self, weights: tuple[float, ...], budget: int) -> None:
        self._weights = weights
        self.budget = budget
        self._columns: dict[str, list[Counter[str]]] = {}

    def put(self, document: str, columns: Sequence[str]) -> None:
        """Index a document anew."""
        self._columns[document] = [Counter(tokens(text)) for text in columns]

    def drop(self, document: str) -> None:
        """Take a document out."""
        self._columns.pop(document, None)

    def copy(self) -> "Index":
        """Return a copy that later changes leave alone."""
        twin = Index(self._weights, self.budget)
        twin._columns = dict(self._columns)
        return twin

    def match(
        self, terms: Sequence[Term], counts: Callable[[str], bool], limit: int, most_postings: int | None = None
    ) -> Matches:
        """Return the best candidates among the documents that count."""
        frequencies = self.frequencies(terms)
        search_flags = affordable(frequencies, min(self.budget, most_postings or self.budget))
        candidates = [
            self._candidate(document, terms, search_flags) for document in self._columns if counts(document)
        ]
        candidates = [candidate for candidate in candidates if any(candidate.frequencies)]
        total = sum(self._length(words) for words in self._columns.values())
        size = len(self._columns)
        candidates.sort(key=lambda candidate: -self._bm25(candidate, frequencies, total, size))
        return Matches(
            documents=size,
            tokens=total if candidates else 0,
            document_frequencies=tuple(frequencies),
            searched=tuple(search_flags),
            candidates=tuple(candidates[:limit]),
        )

    def _candidate(self, document: str, terms: Sequence[Term], search_flags: Iterable[bool]) -> Candidate:
        columns = self._columns[document]
        frequencies = tuple(
            sum(weight * words[term.stem] for weight, words in zip(self._weights, columns, strict=True))
            if is_searched
            else 0.0
            for term, is_searched in zip(terms, search_flags, strict=True)
        )
        return Candidate(document, frequencies, self._length(columns))

    def _bm25(self, candidate: Candidate, frequencies: Sequence[int], total: int, size: int) -> float:
        norm = FTS5_K1 * (1 - FTS5_B + FTS5_B * candidate.length * size / total)
        score = 0.0
        for frequency, holding in zip(candidate.frequencies, frequencies, strict=True):
            idf = max(FTS5_LEAST_IDF, math.log((size - holding + 0.5) / (holding + 0.5)))
            score += idf * frequency * (FTS5_K1 + 1) / (frequency + norm)
        return score

    def frequencies(self, terms: Sequence[Term]) -> list[int]:
        """Return in how many documents each term stands."""
        return [sum(self._holds(words, term) for words in self._columns.values()) for term in terms]

    def words(self, lead: str) -> dict[str, int]:
        """Return the index forms that begin so, with the number of documents that hold each."""
        counts: Counter[str] = Counter()
        for columns in self._columns.values():
            counts.update({word for words in columns for word in words if word.startswith(lead)})
        return dict(counts)

    def columns(self, document: str) -> list[Counter[str]]:
        """Return how often each index form stands in each column of a document."""
        return self._columns[document]

    @staticmethod
    def _holds(columns: list[Counter[str]], term: Term) -> bool:
        return any(words[term.stem] for words in columns)

    @staticmethod
    def _length(columns: list[Counter[str]]) -> int:
        return sum(words.total() for words in columns)


def memory_passes(memory: Memory, filters: Filters) -> bool:
    """Say whether a memory counts."""
    return (
        _among(memory.project, filters.projects)
        and (filters.current_at is None or memory.current(filters.current_at))
        and _among(memory.kind, filters.kinds)
        and _among(memory.status, filters.statuses)
        and _among(memory.trust, filters.trusts)
        and _among(memory.agent, filters.agents)
        and _among(memory.branch, filters.branches)
        and _within(memory.created_at, filters)
        and (filters.min_importance is None or memory.importance >= filters.min_importance)
        and (filters.session is None or memory.session == filters.session)
        and (not filters.sources or not set(filters.sources).isdisjoint(memory.sources))
        and set(filters.tags) <= set(memory.tags)
        and _touches(memory.files, filters.file)
        and (not filters.contains or _contains(filters.contains, memory.title, memory.content))
    )


def turn_passes(turn: Turn, session: Session, filters: Filters) -> bool:
    """Say whether a turn counts."""
    return (
        _among(session.project, filters.projects)
        and (filters.session is None or session.id == filters.session)
        and _within(turn.at, filters)
        and _touches(turn.files, filters.file)
        and (not filters.contains or _contains(filters.contains, turn.text))
        and filters.spoken in (None, is_said(turn))
    )


def is_said(turn: Turn) -> bool:
    """Say whether somebody said a turn, and no tool printed it."""
    return turn.tool is None and turn.role.lower() not in TOOL_ROLES


def session_passes(session: Session, filters: Filters) -> bool:
    """Say whether a session counts."""
    return _among(session.agent, filters.agents) and _within(session.started_at, filters)


def _among(value: str | None, choices: Sequence[str]) -> bool:
    return not choices or value in choices


def _within(moment: int, filters: Filters) -> bool:
    after = filters.since is None or moment >= filters.since
    return after and (filters.until is None or moment < filters.until)


def _touches(paths: Sequence[str], filter_path: str | None) -> bool:
    if not filter_path:
        return True
    path = filter_path.rstrip("/")
    return any(file == path or file.startswith(f"{path}/") or file.endswith(f"/{path}") for file in paths)


def _contains(phrase: str, *texts: str) -> bool:
    return any(phrase.casefold() in text.casefold() for text in texts)
