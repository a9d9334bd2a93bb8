"""Find words of the index for a query term that matches nothing: longer forms first, then misspellings.

Must not live here: reading the vocabulary (the store hands over the words to look among), or expanding a term
that does match: that costs precision.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

LIMIT = 5
_LEAST_PREFIX = 3
_LEAST_EDITED = 4
_LEAST_TWICE_EDITED = 8


def expansions(term: str, vocabulary: Mapping[str, int], limit: int = LIMIT) -> list[str]:
    """Return up to `limit` words that begin with the term, or else differ from it by one or two slips.

    `vocabulary` need only hold the words that begin with the term's first letter: slips are rarely made
    there, and it keeps the search short. It maps a word to the number of documents that hold it; the more
    frequent come first. Words of under four letters are never taken for misspelt; two slips are allowed from
    eight letters on.
    """
    longer = [word for word in vocabulary if _extends(word, term)]
    if longer:
        return sorted(longer, key=lambda word: (-vocabulary[word], word))[:limit]
    near = [(distance, word) for word, distance in _near(term, vocabulary)]
    return [word for _, word in sorted(near, key=lambda pair: (pair[0], -vocabulary[pair[1]], pair[1]))][:limit]


def allowed_slips(term: str) -> int:
    """Return how many slips a word of this length may hold."""
    if len(term) < _LEAST_EDITED or not term.isalpha():
        return 0
    return 2 if len(term) >= _LEAST_TWICE_EDITED else 1


def slips(one: str, other: str, most: int) -> int:
    """Count letters added, dropped, changed or swapped with their neighbour; stop counting above `most`."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    older: list[int] = []
    last = list(range(len(other) + 1))
    for row, left in enumerate(one, 1):
        line = [row]
        for column, right in enumerate(other, 1):
            cost = min(last[column] + 1, line[-1] + 1, last[column - 1] + (left != right))
            if row > 1 and column > 1 and left == other[column - 2] and one[row - 2] == right:
                cost = min(cost, older[column - 2] + 1)
            line.append(cost)
        if min(line) > most:
            return most + 1
        older, last = last, line
    return last[-1]


def _extends(word: str, term: str) -> bool:
    return len(term) >= _LEAST_PREFIX and word.startswith(term)


def _near(term: str, vocabulary: Iterable[str]) -> Iterable[tuple[str, int]]:
    most = allowed_slips(term)
    if not most:
        return
    for word in vocabulary:
        if word[:1] == term[0] and abs(len(word) - len(term)) <= most:
            distance = slips(term, word, most)
            if distance <= most:
                yield word, distance
