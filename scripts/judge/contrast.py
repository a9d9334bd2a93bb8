"""Statements changed in one word: into their opposite, or into the same thing said a little differently.

Lives here: the swaps. They give pairs with almost all words in common that mean the opposite beside pairs with
almost all words in common that mean the same: without them a model takes common words for agreement.
"""

from __future__ import annotations

import random
import re

OPPOSITES = (
    ("always", "never"),
    ("enable", "disable"),
    ("enabled", "disabled"),
    ("add", "remove"),
    ("allowed", "forbidden"),
    ("before", "after"),
    ("with", "without"),
    ("required", "optional"),
    ("true", "false"),
    ("public", "private"),
    ("first", "last"),
    ("above", "below"),
    ("left", "right"),
    ("keep", "drop"),
    ("start", "stop"),
    ("show", "hide"),
    ("everywhere", "nowhere"),
    ("tabs", "spaces"),
    ("manually", "automatically"),
    ("must", "must not"),
    ("should", "shouldn't"),
    ("can", "cannot"),
    ("may", "may not"),
    ("is", "is not"),
    ("are", "are not"),
    ("needs", "doesn't need"),
    ("goes", "doesn't go"),
    ("has to", "doesn't have to"),
    ("use", "don't use"),
    ("do", "don't"),
)
SAME = (
    ("don't", "do not"),
    ("never", "do not ever"),
    ("always", "every time"),
    ("use", "stick to"),
    ("should", "ought to"),
    ("is not", "isn't"),
    ("are not", "aren't"),
    ("cannot", "can't"),
    ("only", "just"),
    ("everywhere", "all over"),
)
NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve", "twenty")
BEFORE = ("", "", "as I said, ", "again: ", "please remember: ", "just so you know, ", "btw ", "once more, ")


def opposite(text: str, rng: random.Random) -> str | None:
    """Change one word of a statement so that it asks for something else, where one can be changed."""
    both = [*OPPOSITES, *((there, back) for back, there in OPPOSITES)]
    ways = [(one, other) for one, other in both if _word(one).search(text)]
    digits = list(re.finditer(r"\b\d+\b", text))
    spelled = [number for number in NUMBERS if _word(number).search(text)]
    if digits and rng.random() < 0.7:
        found = rng.choice(digits)
        return text[: found.start()] + _another_number(found.group(), rng) + text[found.end() :]
    if spelled and rng.random() < 0.7:
        return _swapped(text, spelled[0], rng.choice([number for number in NUMBERS if number != spelled[0]]))
    # The longer of two that overlap: "must not" becomes "must", not "must not not".
    ways = [way for way in ways if not any(way[0] != other[0] and way[0] in other[0].split() for other in ways)]
    return _swapped(text, *rng.choice(ways)) if ways else None


def alike(text: str, rng: random.Random) -> str:
    """Say a statement again with other small words."""
    for one, other in rng.sample(SAME, len(SAME)):
        if _word(one).search(text) and rng.random() < 0.7:
            text = _swapped(text, one, other)
            break
    if rng.random() < 0.5:
        text = text.lower().rstrip(".!")
    opening = rng.choice(BEFORE)
    return opening + (text[:1].lower() + text[1:] if opening else text)


def _word(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w'-]){re.escape(word)}(?![\w'-])", re.IGNORECASE)


def _swapped(text: str, one: str, other: str) -> str:
    """Swap the first of a word, with its capital."""

    def capital(found: re.Match[str]) -> str:
        return other[:1].upper() + other[1:] if found.group()[:1].isupper() else other

    return _word(one).sub(capital, text, count=1)


def _another_number(digits: str, rng: random.Random) -> str:
    number = int(digits)
    choices = (number * 2, number + 1, number * 10, max(1, number // 2), number + 30)
    return str(rng.choice([other for other in choices if other != number]))
