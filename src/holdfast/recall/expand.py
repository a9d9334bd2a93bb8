"""Find words of the index for a query term that matches nothing: longer forms first, then misspellings.

Must not live here: reading the vocabulary (the store hands over the words to look among), or expanding a term
that does match: that costs precision.

An index holds stems, and a stem is no word: FTS5 would stem it again ("database" → "databas" → "databa"). So every
stand-in comes with a word that has this stem; and a misspelt word is put right before it is stemmed, because a
slip near its end keeps the ending from being taken off ("migratoin").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from string import ascii_lowercase

from holdfast.model.search import Term
from holdfast.stores.analyser import spelt, tokens

LIMIT = 5
LEAST_PREFIX = 3
_LEAST_EDITED = 4
_LEAST_TWICE_EDITED = 8
_RIGHT = 2
"""Letters at the beginning that must be right in a word with two slips: it keeps the search short."""


def longer(vocabulary: Mapping[str, int]) -> list[Term]:
    """Return words for the most frequent of these index forms, which all begin as the term does.

    A vocabulary maps an index form to the number of documents that hold it.
    """
    return _terms(sorted(vocabulary, key=lambda form: (-vocabulary[form], form))[:LIMIT])


def misspelt(word: str, vocabulary: Mapping[str, int]) -> list[Term]:
    """Return the words that one in lower case may have been meant for: one slip away, or else two.

    `vocabulary` need only hold the forms that begin with the word's first letter: slips are rarely made there.
    Words of under four letters are never taken for misspelt; two slips are allowed from eight letters on.
    """
    most = allowed_slips(word)
    if not most or not vocabulary:
        return []
    if word.isascii():
        right = list(_put_right(word))
        word_by_form = {form: better for better, form in zip(right, tokens(" ".join(right)), strict=True)}
        best = sorted(word_by_form.keys() & vocabulary.keys(), key=lambda form: (-vocabulary[form], form))[:LIMIT]
        if best or most == 1:
            return [Term(word_by_form[form], form) for form in best]
    [stem] = tokens(word)
    alike = (form for form in vocabulary if form[:_RIGHT] == word[:_RIGHT] and _may_be_near(stem, form, most))
    slip_counts = {form: count for form in alike if (count := slips(stem, form, most)) <= most}
    return _terms(sorted(slip_counts, key=lambda form: (slip_counts[form], -vocabulary[form], form))[:LIMIT])


def allowed_slips(word: str) -> int:
    """Return how many slips a word of this length may hold."""
    if len(word) < _LEAST_EDITED or not word.isalpha():
        return 0
    return 2 if len(word) >= _LEAST_TWICE_EDITED else 1


def slips(word: str, other_word: str, most: int) -> int:
    """Count letters added, dropped, changed or swapped with their neighbour; stop counting above `most`."""
    if abs(len(word) - len(other_word)) > most:
        return most + 1
    older: list[int] = []
    last = list(range(len(other_word) + 1))
    for row, letter in enumerate(word, 1):
        line = [row]
        for column, right in enumerate(other_word, 1):
            cost = min(last[column] + 1, line[-1] + 1, last[column - 1] + (letter != right))
            if row > 1 and column > 1 and letter == other_word[column - 2] and word[row - 2] == right:
                cost = min(cost, older[column - 2] + 1)
            line.append(cost)
        if min(line) > most:
            return most + 1
        older, last = last, line
    return last[-1]


def _may_be_near(word: str, other_word: str, most: int) -> bool:
    """Tell words apart at a glance that are: a slip brings at most one letter and takes one away."""
    return abs(len(word) - len(other_word)) <= most and len(set(word) ^ set(other_word)) <= 2 * most


def _put_right(word: str) -> Iterator[str]:
    """Yield every word that is one slip away and begins with the same letter."""
    for place in range(1, len(word) + 1):
        before, after = word[:place], word[place:]
        yield from (before + letter + after for letter in ascii_lowercase)
        if after:
            yield before + after[1:]
            yield from (before + letter + after[1:] for letter in ascii_lowercase if letter != after[0])
        if len(after) > 1:
            yield before + after[1] + after[0] + after[2:]


def _terms(forms: list[str]) -> list[Term]:
    return [Term(word, form) for form in forms if (word := spelt(form))]
