"""The hashed features of an older and a newer statement: common and one-sided words, numbers, polarity.

Lives here: two texts to numbers, the same for training and at run time. Must not live here: weights. Light, and
without numpy; the static encoder's table, which the package ships for questions, says how near two texts are.
"""

from array import array
from functools import cache, lru_cache
from operator import mul

from holdfast.embedding.static import StaticEncoder
from holdfast.judge.sentence_features import Group, hashed, runs
from holdfast.model.patterns import regex

TEXT_READ = 420
MOST_CROSSED = 10
"""One-sided words of each text that are paired with those of the other."""
MOST_COMPARED = 6
"""The same, compared by meaning."""

_TOKEN = regex(r"[^\W\d_]+(?:'[^\W\d_]+)*|\d+(?:[.,:]\d+)*|[?!]")
_CLAUSE = regex(r"[,;:.!?()–—]+(?=\s|$)|\s-+\s|\b(?:but|because|since|and|so)\b")
_ENDINGS = ("ations", "ation", "ings", "ing", "ies", "ied", "ers", "er", "ed", "es", "ly", "s", "e", "y")
_NEGATIONS = frozenset(
    (
        "no not never don't dont doesn't doesnt isn't isnt aren't arent can't cant cannot won't wont without "
        "none nothing mustn't shouldn't stop avoid drop skip remove forbid forbidden disallow disable "
        "disabled ban banned off out neither nor instead gone dead leave"
    ).split()
)
_STOP = frozenset(
    (
        "a about again all also always am an and any anymore are as at be because been before but by can "
        "could did do does everything everywhere for from had has have here how i if in into is it it's its "
        "just let lets me more must my need needs now of on once only or our out over please should so still "
        "such than that that's the their them then there these they this those to too up use used using very "
        "was we were what when where which while who why will with would yes you your ever ok okay"
    ).split()
)
_TURNING = _STOP | _NEGATIONS
"""Small words that tell an amendment from a repetition."""
_UNITS = {"one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8"}
_UNITS |= {
    "nine": "9",
    "ten": "10",
    "twelve": "12",
    "twenty": "20",
    "thirty": "30",
    "sixty": "60",
    "hundred": "100",
}

WORDS, CROSSED, SHAPES, OLDER = range(11, 15)
SCALES = {WORDS: 0.5, CROSSED: 0.25, SHAPES: 1.0, OLDER: 0.2}


class _Text:
    """A statement as words, stems, numbers and negated stems."""

    def __init__(self, text: str) -> None:
        self.text = text[:TEXT_READ]
        tokens = _TOKEN.findall(self.text.lower().replace("’", "'").replace("`", " "))
        self.tokens = [_UNITS.get(token, token) for token in tokens]
        self.numbers = {token for token in self.tokens if token[0].isdigit()}
        self.stems = {stem_of(token): token for token in self.tokens if token.isalnum() and token not in _STOP}
        self.negated = self._negated()
        self.denied = self._denied()
        self.vector = vector_of(self.text)

    def _negated(self) -> set[str]:
        """Return the stems within four words behind a negation."""
        reach, stems = 0, set()
        for token in self.tokens:
            if token in _NEGATIONS:
                reach = 4
            elif reach:
                stems.add(stem_of(token))
                reach -= 1
        return stems

    def _denied(self) -> set[str]:
        """Return the stems of clauses with a negation anywhere."""
        stems: set[str] = set()
        for clause in _CLAUSE.split(self.text.lower().replace("’", "'")):
            tokens = _TOKEN.findall(clause)
            if not _NEGATIONS.isdisjoint(tokens):
                stems.update(stem_of(token) for token in tokens)
        return stems


def groups_of(older: str, newer: str) -> list[Group]:
    """Return all features of a pair, sort by sort."""
    old, new = _Text(older), _Text(newer)
    level = _level(old, new)
    newer_runs = [*runs(new.tokens, 3)]
    sorts = (
        (WORDS, [f"n {run}" for run in newer_runs] + [f"{level} {run}" for run in runs(new.tokens, 2)]),
        (CROSSED, _crossed(old, new)),
        (SHAPES, _shapes(old, new, level)),
        (OLDER, runs(old.tokens, 2)),
    )
    return [hashed(sort, SCALES[sort], features) for sort, features in sorts]


def stem_of(word: str) -> str:
    """Cut a word's ending, where at least three letters stay."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


@cache
def _encoder() -> StaticEncoder:
    return StaticEncoder()


@lru_cache(4_096)
def vector_of(text: str) -> "array[float]":
    """Return the text's vector by the static encoder, of length 1."""
    return _encoder().encode(text)


def _similarity(older: _Text, newer: _Text) -> float:
    return _product(older.vector, newer.vector)


def _product(older: "array[float]", newer: "array[float]") -> float:
    return float(sum(map(mul, older, newer)))


def _level(older: _Text, newer: _Text) -> str:
    """Grade how much two statements have in common, by words and by meaning."""
    common = len(older.stems.keys() & newer.stems.keys()) / max(1, min(len(older.stems), len(newer.stems)))
    return str(min(3, int(2.0 * max(0.0, _similarity(older, newer)) + 2.0 * common)))


def _alternative(older: _Text, newer: _Text) -> str:
    """Grade how near in meaning a word that went is to one that came: cents and floats, npm and bun."""
    old_tokens = [token for stem, token in older.stems.items() if stem not in newer.stems][:MOST_COMPARED]
    new_tokens = [token for stem, token in newer.stems.items() if stem not in older.stems][:MOST_COMPARED]
    nearest = max(
        (
            _product(vector_of(old_token), vector_of(new_token))
            for old_token in old_tokens
            for new_token in new_tokens
        ),
        default=0.0,
    )
    return str(max(0, int(10 * nearest)))


def _crossed(older: _Text, newer: _Text) -> list[str]:
    """Pair the words that only one of the texts has, and name those they share."""
    old_tokens = [token for stem, token in older.stems.items() if stem not in newer.stems][:MOST_CROSSED]
    new_tokens = [token for stem, token in newer.stems.items() if stem not in older.stems][:MOST_CROSSED]
    functions = [token for token in newer.tokens if token in _STOP and token not in older.tokens]
    old_functions = [token for token in older.tokens if token in _STOP and token not in newer.tokens]
    features = [
        f"{old_token}>{new_token}"
        for old_token in [*old_tokens, *old_functions][:16]
        for new_token in [*new_tokens, *functions][:16]
    ]
    features += [f"+{token}" for token in [*new_tokens, *functions]] + [
        f"-{token}" for token in [*old_tokens, *old_functions]
    ]
    return features


def _shapes(older: _Text, newer: _Text, level: str) -> list[str]:
    """Describe the pair as a whole: shares in steps, numbers, polarity, lengths, and their combinations."""
    common = older.stems.keys() & newer.stems.keys()
    similarity = f"similar {min(9, max(0, int(10 * _similarity(older, newer))))}"
    of_newer = f"of newer {min(5, int(5 * len(common) / max(1, len(newer.stems))))}"
    of_older = f"of older {min(5, int(5 * len(common) / max(1, len(older.stems))))}"
    numbers = f"numbers {_numbers(older, newer)}"
    negations = f"negations {bool(older.negated)} {bool(newer.negated)}"
    asks = f"asks {newer.text.rstrip().endswith('?')}"
    alternative = f"alternative {_alternative(older, newer)}"
    turns, counts = _turns(older, newer, common)
    features = [similarity, of_newer, of_older, numbers, negations, asks, turns, *counts, *_sizes(older, newer)]
    crossings = (
        *((level, feature) for feature in features),
        (similarity, of_newer),
        (similarity, of_older, negations),
        (numbers, of_newer),
        (asks, similarity),
        (alternative, turns),
        (alternative, of_newer),
        (turns, similarity),
        (turns, of_newer),
        (turns, of_older, negations),
        *((turns, token) for token in newer.tokens if token in _TURNING),
    )
    return [*features, alternative, *map(" ".join, crossings)]


def _turns(older: _Text, newer: _Text, common: set[str]) -> tuple[str, list[str]]:
    """Describe which common words are negated in one text only, behind a negation or in its clause."""
    flips = {stem for stem in common if (stem in older.negated) != (stem in newer.negated)}
    denials = {stem for stem in common if (stem in older.denied) != (stem in newer.denied)}
    turns = f"turns {bool(flips)} {bool(denials)} {len(common) > len(denials)}"
    counts = {"shared": min(6, len(common)), "flipped": min(3, len(flips)), "denied": min(3, len(denials))}
    return turns, [f"{name} {count}" for name, count in counts.items()]


def _sizes(older: _Text, newer: _Text) -> list[str]:
    """Describe lengths."""
    words = len(newer.tokens)
    return [
        f"size {min(3, len(newer.text) // 40)}",
        f"words {words <= 4} {words <= 8}",
        f"ratio {min(4, int(2 * words / max(1, len(older.tokens))))}",
        f"equal {older.tokens == newer.tokens}",
    ]


def _numbers(older: _Text, newer: _Text) -> str:
    """Say how the numbers of two statements differ."""
    if not older.numbers or not newer.numbers:
        return f"{bool(older.numbers)} {bool(newer.numbers)}"
    if older.numbers == newer.numbers:
        return "equal"
    return "some" if older.numbers & newer.numbers else "others"
