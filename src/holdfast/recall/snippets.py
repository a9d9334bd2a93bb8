"""The part of a text that shows why it was found: some words around those of the question, which are marked.

Lives here: which part, and its marks. A text may be a pasted log of a megabyte, so no more than its beginning and
a few hundred places of it are looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice

from holdfast.model.search import Term
from holdfast.stores.analyser import words

CHARS = 160
"""Characters of a snippet, marks and dots aside."""

READ = 20_000
"""Characters of a text that are looked at."""

PLACES = 200
"""Words of a text that are looked at because they begin as a term does."""

MARK = "**"
GAP = "…"
_BEFORE = CHARS // 4
"""Characters shown before the first marked word, at least where there are so many."""

_LEAD = 4
"""Letters that a word shares with its stem: endings change, beginnings do not."""

_WHITE = re.compile(r"\s+")
_BOLD = re.compile(r"(?<!\w)\*\*(?=\S)([^*]+?)(?<=\S)\*\*(?!\w)")
"""Words that the text itself has in bold; `src/**/*.py` and `f(**options)` are none."""

Place = tuple[int, int, str]
"""Where a word begins and ends, and the stem that it is a form of."""


def snippet(text: str, terms: Sequence[Term], most: int = CHARS) -> str:
    """Return the part of a text that holds most of the terms, each marked; its beginning where it holds none."""
    flat = _WHITE.sub(" ", _BOLD.sub(r"\1", text[:READ])).strip()
    places = list(islice(_places(flat, {term.stem for term in terms}), PLACES))
    start, end = _window(flat, places, most)
    whole = end >= len(flat) and len(text) <= READ
    return ("" if start == 0 else GAP) + _marked(flat, start, end, places).strip() + ("" if whole else GAP)


def _places(text: str, stems: set[str]) -> Iterator[Place]:
    """Find the words that are a form of a stem, or that have one as a part."""
    if not stems:
        return
    for match in _leads(frozenset(stems)).finditer(text):
        start = _word_start(text, match.start())
        stem = next((form for _, form in words(text[start : match.end()]) if form in stems), None)
        if stem:
            yield start, match.end(), stem


@lru_cache(16)
def _leads(stems: frozenset[str]) -> re.Pattern[str]:
    """Return what words that are a form of a stem, or have one as a part, look like from there on."""
    leads = "|".join(sorted(re.escape(stem[:_LEAD]) for stem in stems))
    return re.compile(rf"(?:{leads})\w*", re.IGNORECASE)


def _word_start(text: str, place: int) -> int:
    """Return where the word begins that this place is in; a pattern that begins with any letters is slow."""
    while place and (text[place - 1].isalnum() or text[place - 1] == "_"):
        place -= 1
    return place


def _window(text: str, places: Sequence[Place], most: int) -> tuple[int, int]:
    """Return where to begin and end, at words' ends: where most different terms stand near each other."""
    if not places or len(text) <= most:
        return 0, _word_end(text, most)
    best = max(places, key=lambda first: _worth(first, places, most))
    start = max(0, min(best[0] - _BEFORE, len(text) - most))
    start = start and (text.find(" ", start, best[0]) + 1 or best[0])
    return start, _word_end(text, start + most)


def _worth(first: Place, places: Sequence[Place], most: int) -> tuple[int, int]:
    """Count the different terms from one on as far as a snippet reaches; of equal places the first counts."""
    reach = first[0] + most - _BEFORE
    return len({stem for start, end, stem in places if first[0] <= start and end <= reach}), -first[0]


def _word_end(text: str, most: int) -> int:
    if len(text) <= most:
        return len(text)
    blank = text.rfind(" ", most - CHARS // 2, most)
    return blank if blank > 0 else most


def _marked(text: str, start: int, end: int, places: Sequence[Place]) -> str:
    parts, last = [], start
    for first, after, _ in places:
        if start <= first and after <= end:
            parts += [text[last:first], MARK, text[first:after], MARK]
            last = after
    return "".join([*parts, text[last:end]])
