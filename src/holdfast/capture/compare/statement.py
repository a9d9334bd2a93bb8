"""What a text says, sentence by sentence: topic, condition, negation, numbers, and whether it is said in
earnest.

Reading one text; comparing two is the business of `conflict`, `revision` and `similar`. A `Statement` is read once
and compared often. At most the first 8,000 characters, 24 sentences and 200 words a sentence are read.
"""

from collections.abc import Iterable, Iterator

from holdfast.capture.compare.opposites import (
    BYSTANDERS,
    CONDITIONS,
    HEDGES,
    LABEL_NOUNS,
    MEANS,
    NEGATORS,
    PHRASE_OPENERS,
    PHRASES,
    REASONS,
    SIDES,
    USE,
    VERSION_NOUNS,
)
from holdfast.capture.compare.topic import EXAMINED_CHARS, content, files_in, stem, tokens
from holdfast.model.patterns import regex
from holdfast.model.value import Value

SENTENCES = 24
WORDS = 200
REACH = 6
"""How far behind a negator its verb may stand."""

_BREAK = regex(r"(?<=[.!?;])\s+|\n+")
NUMBER_WORDS = {
    "zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
    "eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12",
}  # fmt: skip
_PAUSES = frozenset(",;:")


class ParsedSentence(Value):
    """One sentence, read."""

    text: str
    words: tuple[str, ...]
    topic: frozenset[str]  # all content words
    core: frozenset[str]  # those outside any condition
    manner: frozenset[str]  # those that say by what means: "through the client", "with -x"
    condition: frozenset[str]  # those inside: "in production", "when …", "for …"
    stance: dict[str, int]  # verb or axis → +1 said, -1 negated or its opposite said
    numbers: tuple[str, ...]
    earnest: bool  # neither a question nor thinking aloud


class Statement(Value):
    """A text with what is known about it, ready to be compared."""

    text: str
    kind: str
    firm: bool  # the kind was chosen by the caller, not guessed from the text
    files: frozenset[str]
    sentences: tuple[ParsedSentence, ...]
    topic: frozenset[str]


def state(text: str, kind: str, files: Iterable[str] = (), *, firm: bool = False) -> Statement:
    """Read a text; files that it mentions count as its own."""
    pieces = [piece for piece in _BREAK.split(text[:EXAMINED_CHARS])[:SENTENCES] if piece.strip()]
    sentences = tuple(_read_sentence(piece) for piece in pieces)
    topic = frozenset().union(*(sentence.topic for sentence in sentences))
    return Statement(text, kind, firm, frozenset(files) | files_in(text), sentences, topic)


def _read_sentence(text: str) -> ParsedSentence:
    words = _join_labels(join_phrases(tokens(text))[:WORDS])
    topic = content(words)
    core, condition, manner = (topic & set(map(stem, part)) for part in _parts(words))
    return ParsedSentence(
        text=text,
        words=tuple(words),
        topic=topic,
        core=core,
        manner=manner,
        condition=condition,
        stance=_stance(words),
        numbers=tuple(NUMBER_WORDS.get(word, word) for word in words if word[0].isdigit() or word in NUMBER_WORDS),
        earnest=not text.rstrip().endswith("?") and HEDGES.isdisjoint(words),
    )


def _join_labels(words: list[str]) -> list[str]:
    """Join a number to the noun it names: "worker 3" is another worker than "worker 4", not another value."""
    return [
        f"{stem(before)}_{word}" if word[0].isdigit() and _is_label(stem(before), word) else word
        for before, word in zip(["", *words], words, strict=False)
    ]


def _is_label(noun: str, number: str) -> bool:
    """Whether a number names one of many; of what has versions too, only a small one does."""
    return noun in LABEL_NOUNS and not ("." in number or (noun in VERSION_NOUNS and len(number) > 1))


def join_phrases(words: list[str]) -> list[str]:
    """Write phrases that act as one verb as that verb."""
    if PHRASE_OPENERS.isdisjoint(words):
        return words
    sentence = f" {' '.join(words)} "
    for phrase, verb in PHRASES:
        sentence = sentence.replace(f" {phrase} ", f" {verb} ")
    return sentence.split()


def _parts(words: list[str]) -> tuple[list[str], list[str], list[str]]:
    """Split into what is said, under which condition and by what means; leave out a closing explanation."""
    parts: tuple[list[str], list[str], list[str]] = ([], [], [])
    part = core = parts[0]
    leading = bool(words) and words[0] in CONDITIONS
    for position, word in enumerate(words):
        after_pause = position > 0 and words[position - 1] in _PAUSES
        if word in ("because", "since") or (after_pause and word in REASONS):
            break
        if word in _PAUSES:
            part, leading = (core if leading else part), False
        elif word in CONDITIONS and not (word == "from" and _takes_away(words[:position])):
            part = parts[1]
        elif word in MEANS:
            part = parts[2]
        part.append(word)
    return parts


def _takes_away(words: list[str]) -> bool:
    """Whether what follows "from" is what something is removed from: no condition, as little as "add to"."""
    return any(axis == "±add" and side < 0 for word in words for axis, side in SIDES.get(stem(word), ()))


def _stance(words: list[str]) -> dict[str, int]:
    negated_positions = set(_negated_positions(words))
    stance: dict[str, int] = {}
    for position, word in enumerate(words):
        sign = -1 if position in negated_positions else 1
        verb = "use" if word in USE else stem(word)
        stance[verb] = min(sign, stance.get(verb, 1))
        for axis, side in SIDES.get(verb, ()):
            stance.setdefault(axis, sign * side)
        if word.startswith("avoid"):
            stance["use"] = -1
    return stance


def _negated_positions(words: list[str]) -> Iterator[int]:
    """Yield the position of the word that each negator turns round."""
    for position, word in enumerate(words):
        if word in NEGATORS or (
            word == "skip" and words[position + 1 : position + 2] and words[position + 1].endswith("ing")
        ):
            following = range(position + 1, min(position + REACH, len(words)))
            yield from [at for at in following if not _stands_between(words[at])][:1]


def _stands_between(word: str) -> bool:
    return word in BYSTANDERS or word.endswith("ly")
