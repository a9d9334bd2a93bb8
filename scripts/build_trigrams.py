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
KEPT = 2_000
MOST = 20
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def main() -> None:
    """Count, and write the most frequent, forty to a line."""
    words: Counter[str] = Counter()
    for file in sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py")):
        words.update(map(str.lower, _WORD.findall(file.read_text(encoding="utf-8", errors="ignore"))))
    triples: Counter[str] = Counter()
    for word, count in words.items():
        for place in range(len(word) - 2):
            triples[word[place : place + 3]] += min(count, MOST)
    kept = sorted(sorted(triples, key=lambda triple: (-triples[triple], triple))[:KEPT])
    lines = ["".join(kept[place : place + 38]) for place in range(0, KEPT, 38)]
    TARGET.write_text("\n".join(lines) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
