"""What the index of words should answer, computed the plain way: every document is looked at, each time."""

import math
from collections import Counter
from collections.abc import Sequence

from holdfast.model.kinds import GENERIC_ROLES
from holdfast.model.memory import Memory
from holdfast.model.search import Candidate, Matches, Term
from holdfast.model.session import Turn
from holdfast.model.times import written_day
from holdfast.stores.analyser import identifiers, tokens
from holdfast.stores.weights import MEMORY_WEIGHTS, POSTINGS_BUDGET, TURN_WEIGHTS, affordable

K1, B, LEAST_IDF = 1.2, 0.75, 1e-6
"""The constants of FTS5's own bm25."""

Words = Sequence[Counter[str]]
"""How often each index form stands in each column of a document."""


class Oracle:
    """BM25 over documents whose columns have weights."""

    def __init__(self, documents: dict[str, Words], weights: Sequence[float], budget: int) -> None:
        self._documents = documents
        self._weights = weights
        self._budget = budget
        self._total = sum(_length(words) for words in documents.values())

    @classmethod
    def of_memories(cls, memories: Sequence[Memory], budget: int = POSTINGS_BUDGET) -> "Oracle":
        """Index memories."""
        return cls({memory.id: _words(_memory_columns(memory)) for memory in memories}, MEMORY_WEIGHTS, budget)

    @classmethod
    def of_turns(cls, turns: Sequence[Turn], budget: int = POSTINGS_BUDGET) -> "Oracle":
        """Index turns."""
        return cls({turn.id: _words(_turn_columns(turn)) for turn in turns}, TURN_WEIGHTS, budget)

    def match(self, terms: Sequence[Term]) -> Matches:
        """Return every document that holds a term that is searched, best first."""
        holding = [sum(_holds(words, term) for words in self._documents.values()) for term in terms]
        is_searched = affordable(holding, self._budget)
        candidates = [self._candidate(document, terms, is_searched) for document in self._documents]
        candidates = [candidate for candidate in candidates if any(candidate.frequencies)]
        candidates.sort(key=lambda candidate: -self.score(candidate, holding))
        return Matches(
            documents=len(self._documents),
            tokens=self._total if candidates else 0,
            document_frequencies=tuple(holding),
            searched=tuple(is_searched),
            candidates=tuple(candidates),
        )

    def score(self, candidate: Candidate, holding: Sequence[int]) -> float:
        """Return the BM25 of a candidate, by which FTS5 orders what it finds."""
        length = candidate.length * len(self._documents) / self._total
        norm = K1 * (1 - B + B * length)
        value = 0.0
        for frequency, documents in zip(candidate.frequencies, holding, strict=True):
            odds = (len(self._documents) - documents + 0.5) / (documents + 0.5)
            value += max(LEAST_IDF, math.log(odds)) * frequency * (K1 + 1) / (frequency + norm)
        return value

    def _candidate(self, document: str, terms: Sequence[Term], is_searched: Sequence[bool]) -> Candidate:
        words = self._documents[document]
        frequencies = tuple(
            sum(weight * column[term.stem] for weight, column in zip(self._weights, words, strict=True))
            if searched
            else 0.0
            for term, searched in zip(terms, is_searched, strict=True)
        )
        return Candidate(document, frequencies, _length(words))


def _memory_columns(memory: Memory) -> tuple[str, ...]:
    lists = (" ".join(memory.tags), " ".join(memory.files))
    parts = identifiers(memory.title, memory.content, memory.context, " ".join(memory.files))
    return (memory.content, memory.title, *lists, memory.context, memory.kind, parts)


def _turn_columns(turn: Turn) -> tuple[str, ...]:
    files = " ".join(turn.files)
    speaker = "" if turn.role.lower() in GENERIC_ROLES else turn.role
    return (turn.text, files, speaker, identifiers(turn.text, files), written_day(turn.at))


def _words(columns: Sequence[str]) -> Words:
    return [Counter(tokens(text)) for text in columns]


def _holds(words: Words, term: Term) -> bool:
    return any(column[term.stem] for column in words)


def _length(words: Words) -> int:
    return sum(column.total() for column in words)
