"""How common a word is in texts about code, whatever a store holds: a fixed table of idf.

In a small store every word is rare. This table knows that "list" and "python" tell little anywhere. The hashing
embedder weighs words by it, and a brief does not take them for a topic.
"""

import os
from functools import cache

RARE_IDF = 6.0
"""What a word weighs that is not in the table."""


def idf(word: str) -> float:
    """Return a word's weight from the fixed table; a word that is not in it is rare."""
    return table().get(word, RARE_IDF)


@cache
def table() -> dict[str, float]:
    """Return the weight of every word that is common enough to have one."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hashing_idf.txt")
    with open(path, encoding="utf-8") as file:
        return {word: float(value) for word, value in (line.split() for line in file)}
