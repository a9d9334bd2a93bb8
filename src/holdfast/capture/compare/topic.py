"""What a text is about: its content words, in one form per word, and how much two texts share.

Tokens, stop words, a light stemmer, file names, overlap. Not here: what is *said* about the topic (`statement`),
nor any judgement on two texts (`conflict`, `revision`, `same`).

The stemmer only joins inflections (retry, retries, retried; cache, caches, cached, caching), never
derivations: a wrong join would let two rules meet that have nothing to do with each other. An identifier or
a path is one word.
"""

from collections.abc import Iterable
from functools import lru_cache

from holdfast.capture.text.names import FILE
from holdfast.model.patterns import regex
from holdfast.model.value import Value

EXAMINED_CHARS = 8000
"""Characters of a text that are read for its topic; a rule is stated early, and time stays bounded."""


def _word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


STOP_WORDS = _word_set(
    """a about above across actually after again against all already also always am an and another any anyway
    are around as at back be because been before being below between both but by can cannot could did do
    does doing done down during each either else enough especially etc even ever every everything few
    first for from further get gets getting give gives go goes going good got great had has have having
    he her here hers him his how however i if in instead into is it its itself just keep last least less
    let like long longer look make makes making many may maybe me mean means might more most much must
    my need needs never new no nor not nothing now of off often ok okay old on once only onto or other
    our ours out over own perhaps please possible probably quite rather really right same see shall she
    should since so some something sometimes still stay such sure than that the their them then there
    these they thing things think this those though through thus to together too under until up upon us
    use used useful uses using usually very via want was way we well were what when where whether which
    while who whole whom why will with within without won would yes yet you your yours case cases eg ie
    currently simply exactly totally rule rules policy amendment know knows known sense specifically
    basically essentially primarily definitely pretty quick quickly look looks looking looked seem seems
    feel feels correction decision decided agreed everyone anything bit lot kind sort start starting
    forward onwards one two three four five six seven eight nine ten dozen
    avoid avoids avoiding avoided stop stops stopped stopping quit"""
)

_TOKEN = regex(r"\d+(?:[.:]\d+)*|[^\W\d]\w*(?:[./]\w+)*|[,;:]")
_COMMIT = regex(r"\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}\b")
DIGIT = regex(r"\d")
_CONTRACTIONS = (("can't", "can not"), ("won't", "will not"), ("shan't", "shall not"), ("n't", " not"))
_POSSESSIVE = regex(r"'(?:s|re|ve|ll|d|m)\b")
_SHORTEST_STEM = 3


class Overlap(Value):
    """What two sets of words have in common."""

    shared: frozenset[str]
    of_smaller: float  # share of the smaller set
    of_union: float


def tokens(text: str) -> list[str]:
    """Return the words, numbers and pauses (`, ; :`) of `text`, lower case, contractions written out.

    Commit hashes are left out: they are neither words nor numbers.
    """
    text = text[:EXAMINED_CHARS].replace("’", "'").lower()
    if "'" in text:
        for short, full in _CONTRACTIONS:
            text = text.replace(short, full)
        text = _POSSESSIVE.sub(" ", text)
    return _TOKEN.findall(_COMMIT.sub(" ", text) if DIGIT.search(text) else text)


def content(words: Iterable[str]) -> frozenset[str]:
    """Return the stems of the words that carry a topic: no stop words, numbers or pauses."""
    return frozenset(
        stem(word) for word in words if len(word) > 1 and word not in STOP_WORDS and word[0].isalpha()
    )


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Return the form that all inflections of an English word share; other words unchanged."""
    if len(word) <= _SHORTEST_STEM or not (word.isascii() and word.isalpha()):
        return word
    for ending, replacement in (
        ("ies", "y"),
        ("ied", "y"),
        ("sses", "ss"),
        ("ing", ""),
        ("ed", ""),
        ("es", ""),
        ("s", ""),
    ):
        if word.endswith(ending) and _may_lose(word, ending):
            return _root(word[: -len(ending)] + replacement, doubled=ending in ("ing", "ed"))
    return _root(word, doubled=False)


def _may_lose(word: str, ending: str) -> bool:
    rest = word[: -len(ending)]
    if ending == "es":
        return rest.endswith(("s", "x", "z", "ch", "sh"))
    if ending == "s":
        return not rest.endswith(("s", "u", "i"))
    if ending in ("ing", "ed"):
        return len(rest) >= _SHORTEST_STEM and any(vowel in rest for vowel in "aeiouy") and not rest.endswith("e")
    return len(rest) >= 2


def _root(word: str, *, doubled: bool) -> str:
    if doubled and len(word) > _SHORTEST_STEM and word[-1] == word[-2] and word[-1] not in "lsz":
        return word[:-1]
    return word[:-1] if word.endswith("e") and len(word) > _SHORTEST_STEM else word


def files_in(text: str) -> frozenset[str]:
    """Return the file names and paths that `text` mentions."""
    return frozenset(match.group().removeprefix("./") for match in FILE.finditer(text[:EXAMINED_CHARS]))


def overlap(left: frozenset[str], right: frozenset[str]) -> Overlap:
    """Measure what two sets of content words share."""
    shared_words = left & right
    if not shared_words:
        return Overlap(shared_words, 0.0, 0.0)
    return Overlap(
        shared_words, len(shared_words) / min(len(left), len(right)), len(shared_words) / len(left | right)
    )
