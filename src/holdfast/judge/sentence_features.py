"""The hashed features of a sentence in its place: words, word pairs, openings, neighbours, shapes.

Lives here: text to numbers, the same for training and at run time. Must not live here: weights. Light: without
numpy, and nothing that needs a model. A number is a CRC-32; the reader of the weights takes its lowest bits.
"""

from collections.abc import Iterable
from zlib import crc32

from holdfast.judge import Sentence
from holdfast.model.patterns import regex

TEXT_READ = 420
AGENT_READ = 200
NEIGHBOUR_READ = 120
"""Characters read of the sentence, of the agent's words and of the words before and after it."""

Group = tuple[float, list[int]]
"""A scale, and the features of one sort: together they weigh as much in a long sentence as in a short one."""

_CODE = regex(r"`[^`]*`")
_PATH = regex(r"\S*[/\\]\S*|\S+\.(?:py|tsx?|jsx?|md|json|ya?ml|go|rs|css|html|sql|sh)\b")
_NAME = regex(r"\b(?:[A-Za-z]*[a-z][A-Z]\w*|[A-Za-z]\w*_\w+)\b")
_TOKEN = regex(r"[^\W\d_]+(?:['’][^\W\d_]+)*|[?!]|\d+")
_SIGNS = regex(r"[^\w\s.,!?'’]")
_TECHNICAL = regex(r"[{}<>=;_]|::")

WORDS, SKIPS, STEMS, AGENT, BEFORE, AFTER, PLACE = range(1, 8)
"""Sorts of features; the number starts the hash, so that equal words of two sorts differ."""

SCALES = {WORDS: 1.0, SKIPS: 0.5, STEMS: 0.5, AGENT: 0.5, BEFORE: 0.5, AFTER: 0.3, PLACE: 1.0}


def groups_of(sentence: Sentence) -> list[Group]:
    """Return all features of a sentence, sort by sort."""
    tokens = tokens_of(sentence.text[:TEXT_READ])
    agent = tokens_of(sentence.agent[-AGENT_READ:])
    before = tokens_of(sentence.before[-NEIGHBOUR_READ:])
    after = tokens_of(sentence.after[:NEIGHBOUR_READ])
    sorts = (
        (WORDS, runs(["<", *tokens, ">"], 3)),
        (SKIPS, _skips(tokens)),
        (STEMS, _stems(tokens)),
        (AGENT, runs(agent, 2)),
        (BEFORE, runs(before, 2)),
        (AFTER, runs(after, 2)),
        (PLACE, _place(sentence, tokens)),
    )
    return [hashed(sort, SCALES[sort], features) for sort, features in sorts]


def tokens_of(text: str) -> list[str]:
    """Cut a text into lower-case words, with one word each for code, paths, identifiers and numbers."""
    text = _NAME.sub(" xname ", _PATH.sub(" xpath ", _CODE.sub(" xcode ", text)))
    tokens = _TOKEN.findall(text.lower().replace("’", "'"))
    return ["0" if token[0].isdigit() else token for token in tokens]


def hashed(sort: int, scale: float, features: Iterable[str]) -> Group:
    """Return the numbers of one sort's features, and what each of them weighs."""
    numbers = [crc32(feature.encode("utf-8", "ignore"), sort) for feature in set(features)]
    return scale / max(1, len(numbers)) ** 0.5, sorted(numbers)


def runs(tokens: list[str], longest: int) -> list[str]:
    """Return runs of words up to a length."""
    count = len(tokens)
    return [
        " ".join(tokens[start : start + size])
        for size in range(1, longest + 1)
        for start in range(count - size + 1)
    ]


def _skips(tokens: list[str]) -> list[str]:
    """Return pairs of words with one or two between them."""
    return [f"{first} {second}" for gap in (2, 3) for first, second in zip(tokens, tokens[gap:], strict=False)]


def _stems(tokens: list[str]) -> list[str]:
    """Return the beginnings of longer words: they survive endings and typing errors."""
    return [token[:5] for token in tokens if len(token) > 4]


def _place(sentence: Sentence, tokens: list[str]) -> list[str]:
    """Describe where the sentence stands and its shape, as yes-or-no features."""
    text, first = sentence.text, sentence.number == 0
    alone = not sentence.before and not sentence.after
    words = text.split()
    marks = {
        "first": first,
        "alone": alone,
        "no agent": not sentence.agent,
        "no before": not sentence.before,
        "no after": not sentence.after,
        "agent asks": sentence.agent.rstrip().endswith("?"),
        "asks": text.rstrip().endswith("?"),
        "asked before": "?" in sentence.before[-80:],
        "asks after": "?" in sentence.after[:80],
        "capital": text[:1].isupper(),
        "shouts": any(len(word) > 2 and word.isupper() for word in words),
        "technical": bool(_TECHNICAL.search(text)),
        "digits": "0" in tokens,
        "opens the talk": alone and first and not sentence.agent,
    }
    signs = len(_SIGNS.findall(text)) / max(1, len(text))
    sizes = {
        "length": min(9, len(text) // 25),
        "words": min(12, len(words)),
        "number": min(8, sentence.number),
        "before": min(5, len(sentence.before) // 60),
        "after": min(3, len(sentence.after) // 60),
        "signs": min(5, int(10 * signs)),
    }
    features = [mark for mark, is_set in marks.items() if is_set]
    features += [f"{size} {number}" for size, number in sizes.items()]
    features += [f"opens {' '.join(tokens[:size])}" for size in (1, 2, 3)]
    features += [f"turn opens {' '.join(tokens_of(sentence.before[:60])[:2])}", f"ends {text.rstrip()[-1:]}"]
    return features
