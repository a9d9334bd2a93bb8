"""With which letters a match of a pattern can begin.

A prefilter for tables of patterns that match whole words: a text holds few of the leads, so few patterns have to
be compiled and tried. Reads the plain syntax of our own tables (literals, groups, alternatives, classes, `? * +
{}`, look-arounds); what it cannot tell is answered with a shorter lead, the empty one at worst, which every text
holds. Light.
"""

import re

from holdfast.model.patterns import regex

TYPE_CHECKING = False  # typing's own, without importing typing: the hooks share this module
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LETTERS = 5
"""Letters of a lead at most."""

_END = "\0"
"""Stands behind a lead that is a whole match."""

_ZERO_WIDTH = ("(?=", "(?!", "(?<=", "(?<!")
_OPENINGS = ("(?:", "(?-i:")
_QUANTIFIER = regex(r"\?|\*|\+|\{(\d*),?\d*\}")
_SPECIAL = regex(r"\\.|\[[^\]]+\]|[|()]")
_WORD = regex(r"\w+")
_MOST_OPENINGS = 20_000

Leads = set[tuple[str, bool]]
"""Leads, each with whether what follows is still to be told."""


def leads(pattern: str) -> frozenset[str]:
    """Return the first letters of everything that the pattern matches, in lower case."""
    lead_pairs = _alternatives(pattern, 0)[0]
    return frozenset(_usable(lead, goes_on) for lead, goes_on in lead_pairs)


def alternatives(pattern: str) -> list[str]:
    """Return what a pattern matches one of."""
    depth, start, parts = 0, 0, []
    for special in _SPECIAL.finditer(pattern):
        if depth == 0 and special[0] == "|":
            parts.append(pattern[start : special.start()])
            start = special.end()
        depth += (special[0] == "(") - (special[0] == ")")
    return [*parts, pattern[start:]]


class LeadTable:
    """Patterns, by number, under their leads."""

    def __init__(self, numbers_by_lead: "Mapping[str, Sequence[int]]") -> None:
        self._numbers_by_lead = numbers_by_lead
        self._numbers_by_opening: dict[str, tuple[int, ...]] = {}

    def starts_in(self, lower_text: str) -> dict[int, list[int]]:
        """Return where in a text, at the words of it, each pattern can begin; in order."""
        starts: dict[int, list[int]] = {}
        known_openings = self._numbers_by_opening
        for word in _WORD.finditer(lower_text):
            start = word.start()
            opening = lower_text[start : start + LETTERS]
            numbers = known_openings.get(opening)
            if numbers is None:
                numbers = self._remember(opening)
            for number in numbers:
                starts.setdefault(number, []).append(start)
        return starts

    def _remember(self, opening: str) -> tuple[int, ...]:
        """Look up the patterns that can begin with these letters; texts open words with the same ones often."""
        word = _WORD.match(opening)
        prefixes = [opening[:length] for length in range(1, LETTERS + 1)]
        if word and word.end() < LETTERS:
            prefixes.append(word[0] + _END)
        number_lists = [self._numbers_by_lead.get(prefix, ()) for prefix in dict.fromkeys(prefixes)]
        if len(self._numbers_by_opening) >= _MOST_OPENINGS:
            self._numbers_by_opening.clear()
        numbers = tuple({number for numbers in number_lists for number in numbers})
        self._numbers_by_opening[opening] = numbers
        return numbers


def _usable(lead: str, goes_on: bool) -> str:
    """Return a lead as a text shows it: it begins at a word, and behind a whole word comes the end."""
    if not lead[:1].isalnum():
        return ""
    return (lead + _END)[:LETTERS] if goes_on and lead.isalnum() else lead


def _alternatives(pattern: str, start: int) -> tuple[Leads, int]:
    """Read alternatives up to a closing bracket; return their leads and where they end."""
    all_leads: Leads = set()
    place = start
    while True:
        sequence_leads, place = _sequence(pattern, place)
        all_leads |= sequence_leads
        if place >= len(pattern) or pattern[place] == ")":
            return all_leads, place + 1
        place += 1  # the bar


def _sequence(pattern: str, start: int) -> tuple[Leads, int]:
    sequence_leads: Leads = {("", True)}
    place = start
    while place < len(pattern) and pattern[place] not in "|)":
        atom, place = _atom(pattern, place)
        quantifier = _QUANTIFIER.match(pattern, place)
        if quantifier:
            place = quantifier.end()
            atom = _repeat(atom, quantifier)
        sequence_leads = {longer_lead for lead in sequence_leads for longer_lead in _longer(lead, atom)}
        if not any(goes_on for _, goes_on in sequence_leads):
            return sequence_leads, _end(pattern, place)
    return sequence_leads, place


def _end(pattern: str, start: int) -> int:
    """Return where an alternative ends, without reading it."""
    depth = 0
    for special in _SPECIAL.finditer(pattern, start):
        if depth == 0 and special[0] in "|)":
            return special.start()
        depth += (special[0] == "(") - (special[0] == ")")
    return len(pattern)


def _repeat(atom: Leads, quantifier: re.Match[str]) -> Leads:
    closed_leads = {(lead, False) for lead, _ in atom} if quantifier[0] != "?" else atom
    never = quantifier[0] in "?*" or quantifier[1] == "0"
    return closed_leads | {("", True)} if never else closed_leads


def _longer(lead: tuple[str, bool], atom: Leads) -> Leads:
    letters, goes_on = lead
    if not goes_on:
        return {lead}
    return {((letters + more)[:LETTERS], open_ and len(letters + more) < LETTERS) for more, open_ in atom}


def _atom(pattern: str, start: int) -> tuple[Leads, int]:
    for opening in _ZERO_WIDTH:
        if pattern.startswith(opening, start):
            return {("", True)}, _alternatives(pattern, start + len(opening))[1]
    for opening in _OPENINGS:
        if pattern.startswith(opening, start):
            return _alternatives(pattern, start + len(opening))
    char = pattern[start]
    if char == "[":
        end = pattern.index("]", start + 2)
        return _class(pattern[start + 1 : end]), end + 1
    if char in "\\.":
        return {("", False)}, start + (2 if char == "\\" else 1)
    if char in "^$":
        return {("", True)}, start + 1
    return {(char.lower(), True)}, start + 1


def _class(body: str) -> Leads:
    plain = body.isalnum() and body.isascii()
    return {(char.lower(), True) for char in body} if plain else {("", False)}
