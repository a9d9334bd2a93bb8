"""Which entries a new one has to be compared with: those that hold now and share its words, and not too many.

Opposed, revised and nearly equal texts share most of their words, so the best few by keyword are enough. The store
is asked for few words and with a small budget of postings: an add must not cost what a search may.
"""

from collections import Counter, defaultdict

from holdfast.capture.compare.statement import Statement, state
from holdfast.model.memory import Memory
from holdfast.model.search import Candidate, Filters, Term
from holdfast.ports import Store
from holdfast.recall.terms import terms_of

MOST = 6
"""Entries compared, from the store and from the batch each."""

READ_CHARS = 400
MOST_TERMS = 10
"""Words that entries are looked up by, the first ones: a rule is stated early."""

MOST_POSTINGS = 500
SHARED = 1 / 3
"""Share of the words of the shorter text that must be in both before a comparison can find anything."""


class Rivals:
    """The entries of a store, and those of the batch that is being written into it."""

    def __init__(self, store: Store, now: int) -> None:
        self._store = store
        self._now = now
        self._sizes: dict[str, int] = {}
        self._by_word: defaultdict[str, list[str]] = defaultdict(list)
        self._statements: dict[str, Statement] = {}

    def of(self, memory: Memory) -> tuple[list[Memory], list[str]]:
        """Return the stored entries most like a new one and the ids of the batch's, best first.

        The new one is itself a rival for those that follow it in the batch.
        """
        terms = terms_of(memory.content[:READ_CHARS])[:MOST_TERMS]
        if not terms:
            return [], []
        found = self._stored(memory.project, terms), self._in_batch(terms)
        self._sizes[memory.id] = len(terms)
        for term in terms:
            self._by_word[term.stem].append(memory.id)
        return found

    def statement(self, memory: Memory) -> Statement:
        """Return what an entry says; each is read once."""
        if memory.id not in self._statements:
            self._statements[memory.id] = state(
                memory.content, memory.kind, memory.files, firm=memory.kind_confidence is None
            )
        return self._statements[memory.id]

    def _stored(self, project: str, terms: tuple[Term, ...]) -> list[Memory]:
        filters = Filters(projects=(project,), current_at=self._now)
        found = self._store.memories.match(terms, filters, MOST, MOST_POSTINGS)
        wanted = [one.id for one in found.candidates if _near(one, sum(found.searched))]
        return self._store.memories.get(wanted) if wanted else []

    def _in_batch(self, terms: tuple[Term, ...]) -> list[str]:
        shared = Counter(one for term in terms for one in self._by_word.get(term.stem, ()))
        best = shared.most_common(MOST)
        return [one for one, number in best if number >= SHARED * min(len(terms), self._sizes[one])]


def _near(candidate: Candidate, searched: int) -> bool:
    """Say whether an entry shares enough words; its title repeats its content, so its length counts half."""
    shared = sum(map(bool, candidate.frequencies))
    return shared >= SHARED * min(searched, candidate.length / 2)
