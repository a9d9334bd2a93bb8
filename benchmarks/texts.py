"""Made-up notes with the statistics of real ones: word frequencies by Zipf's law, 20 to 60 words each."""

import itertools
import random
from collections.abc import Iterator

VOCABULARY = 20_000
_SYLLABLES = (
    "ba",
    "ce",
    "di",
    "fo",
    "gu",
    "ka",
    "le",
    "mi",
    "no",
    "pu",
    "ra",
    "se",
    "ti",
    "vo",
    "zu",
    "shi",
    "tra",
)


def vocabulary() -> list[str]:
    """Return distinct words, the most frequent first; some are joined identifiers."""
    luck = random.Random(1)
    words: dict[str, None] = {}
    while len(words) < VOCABULARY:
        word = "".join(luck.choices(_SYLLABLES, k=luck.randint(2, 4)))
        words[word + word.title() if luck.random() < 0.05 else word] = None
    return list(words)


def notes(count: int, seed: int = 2) -> Iterator[str]:
    """Yield notes."""
    luck = random.Random(seed)
    words = vocabulary()
    weights = list(itertools.accumulate(1 / (rank + 3) for rank in range(len(words))))
    for _ in range(count):
        yield " ".join(luck.choices(words, cum_weights=weights, k=luck.randint(20, 60)))


def questions(count: int, seed: int = 3) -> Iterator[str]:
    """Yield queries of six to eight ordinary words: neither the commonest hundred nor the rarest."""
    luck = random.Random(seed)
    ordinary = vocabulary()[100:3_000]
    for _ in range(count):
        yield " ".join(luck.sample(ordinary, luck.randint(6, 8)))
