"""Build the letter triples that the token estimate knows: `python scripts/build_trigrams.py`.

A tokenizer keeps common words whole and breaks up the rest. Which words are common it is told by their letters:
words made of triples that are frequent in English and in code are mostly one token. The triples are counted in the
standard library of the Python that runs this, each word at most twenty times, so that no module's favourite wins.
"""

import re
import sysconfig
from collections import Counter
from pathlib import Path

TARGET = Path(__file__).parents[1] / "src" / "holdfast" / "recall" / "brief" / "trigrams.txt"
TRIPLES = 2_000
"""Triples that are written down."""

MOST = 20
"""How often one word counts at most."""

LINE_TRIPLES = 38
"""Triples of a line: 114 letters, as long as lines are here."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def main() -> None:
    """Count, and write the most frequent, in lines without anything between them."""
    words: Counter[str] = Counter()
    for file in sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py")):
        words.update(map(str.lower, _WORD.findall(file.read_text(encoding="utf-8", errors="ignore"))))
    triples: Counter[str] = Counter()
    for word, count in words.items():
        for place in range(len(word) - 2):
            triples[word[place : place + 3]] += min(count, MOST)
    most_frequent = sorted(sorted(triples, key=lambda triple: (-triples[triple], triple))[:TRIPLES])
    starts = range(0, TRIPLES, LINE_TRIPLES)
    lines = ["".join(most_frequent[start : start + LINE_TRIPLES]) for start in starts]
    TARGET.write_text("\n".join(lines) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
