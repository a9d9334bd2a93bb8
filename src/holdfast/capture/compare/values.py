"""Numbers and what they are numbers of: "cap at 50", "node 22.11", "14 days".

Reading one sentence; whether another value revises a rule is judged in `revision`.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from holdfast.capture.compare.statement import NUMBER_WORDS, ParsedSentence
from holdfast.capture.compare.topic import content

BEFORE, BEHIND = 6, 2
"""Words before and behind a number among which the thing stands that it is a number of."""

NEAREST = 2
"""Things before a number that count: its own, and what that belongs to."""

_PAUSES = frozenset(",;:")

Slots = Mapping[str, frozenset[str]]
"""The numbers that a sentence gives to each thing, things as stems."""


def slots(sentences: Iterable[ParsedSentence]) -> Slots:
    """Return what sentences give numbers to."""
    values_by_thing: defaultdict[str, set[str]] = defaultdict(set)
    for sentence in sentences:
        words = sentence.words
        for place, word in enumerate(words):
            if word[0].isdigit() or word in NUMBER_WORDS:
                for thing in _things(words, place):
                    values_by_thing[thing].add(NUMBER_WORDS.get(word, word))
    return {thing: frozenset(values) for thing, values in values_by_thing.items()}


def _things(words: tuple[str, ...], place: int) -> list[str]:
    before: list[str] = []
    for word in reversed(words[max(0, place - BEFORE) : place]):
        if word in _PAUSES or len(before) == NEAREST:
            break
        before += content([word])
    behind: list[str] = []
    for word in words[place + 1 : place + 1 + BEHIND]:
        if word in _PAUSES:
            break
        behind += content([word])
    return [*before, *behind[:1]]


def revalued_things(new: Slots, old: Slots) -> frozenset[str]:
    """Return the things that both give numbers to, and not the same."""
    return frozenset(thing for thing in new.keys() & old.keys() if new[thing].isdisjoint(old[thing]))
