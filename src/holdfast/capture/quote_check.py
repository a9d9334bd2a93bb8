"""Whether a note rests on words that it gives as the user's, and whether a person said them in a turn.

Pure judgement; which turns are looked at is decided in `service.user_words`. Words are compared as words: case,
blanks, signs and the forms of characters apart, and nothing beyond that. What was pasted, quoted or shown in a
turn is not what its person said.
"""

from collections.abc import Iterator, Sequence

from holdfast.capture.compare.conflict import detect_conflict
from holdfast.capture.compare.statement import state
from holdfast.capture.compare.topic import tokens
from holdfast.capture.sessions.findings.reading import topic
from holdfast.capture.text.normalise import as_words
from holdfast.capture.text.prose import sentences
from holdfast.model.memory import CONTRADICTORY
from holdfast.model.patterns import regex
from holdfast.model.value import Value

LEAST_WORDS = 4
LEAST_CONTENT = 2
"""Words of a quote, and how many of them must say what it is about: "yes please do it" proves nothing."""

LEAST_SHARED = 2
SHARED_OF_SHORTER = 0.4
SHARED_OF_NOTE = 0.2
"""Content words that a note must have from its quote; their share of those of the shorter one, and of the note's.

On 505 notes of six projects, each written by somebody who read the talk and knew no rule, 83 % pass with their own
quote and 2 % with another one of the same project (docs/decisions/0085)."""

_WORD = regex(r"\w+")
_KIND = "decision"
"""Of what kind both are taken to be where they are compared: rules can oppose each other whatever their kinds."""

_DENIALS = frozenset("no not never nothing nobody none nowhere neither without avoid stop dont".split())


class Span(Value):
    """Where in a turn something was said."""

    start: int
    end: int


def weakness(quote: str, note: str) -> str | None:
    """Say why a quote proves nothing of a note, wherever it stands; None where it would."""
    about = topic(quote)
    if len(as_words(quote).split()) < LEAST_WORDS or len(about) < LEAST_CONTENT:
        return (
            f"is too short to prove anything; give {LEAST_WORDS} words in a row or more that say what it is about"
        )
    note_topic = topic(note)
    shared_count = len(about & note_topic)
    if shared_count < LEAST_SHARED or shared_count < max(
        SHARED_OF_SHORTER * min(len(about), len(note_topic)), SHARED_OF_NOTE * len(note_topic)
    ):
        return "and note say different things; keep to what the user said, with their words"
    return "says the opposite of the note; read it again" if _is_opposed(quote, note) else None


def _is_opposed(quote: str, note: str) -> bool:
    """Say whether one of two texts denies what the other says; where both deny something, each has its own way."""
    if _DENIALS.isdisjoint(tokens(quote)) == _DENIALS.isdisjoint(tokens(note)):
        return False
    disagreement = detect_conflict(state(note, _KIND, firm=True), state(quote, _KIND, firm=True))
    return disagreement is not None and disagreement.kind == CONTRADICTORY


def span_of(quote: str, turn_text: str) -> Span | None:
    """Return where a person says a quote in a turn; None where they do not, or only show it."""
    quote_words = as_words(quote).split()
    words = list(_words(turn_text))
    first = [place for place, (word, _, _) in enumerate(words) if word == quote_words[0]] if quote_words else []
    for place in first:
        if [word for word, _, _ in words[place : place + len(quote_words)]] == quote_words:
            return Span(words[place][1], words[place + len(quote_words) - 1][2])
    return None


def _words(turn_text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the words that somebody says in a turn, with their places; nothing spans what was only shown."""
    last = 0
    for sentence in sentences(turn_text):
        if _WORD.search(turn_text, last, sentence.start):
            yield "", last, last
        last = sentence.end
        for match in _WORD.finditer(turn_text, sentence.start, sentence.end):
            for word in _one_word(match[0]):
                yield word, match.start(), match.end()


def _one_word(text: str) -> Sequence[str]:
    return as_words(text).split()
