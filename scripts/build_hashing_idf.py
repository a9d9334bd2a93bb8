"""Count in how many of some sample texts each word occurs and write the hashing embedder's fixed idf table.

    python scripts/build_hashing_idf.py texts.json src/holdfast/embedding/hashing_idf.txt

`texts.json` is a list of strings. The bundled table was counted over 5,400 turns of LongMemEval (MIT) and
6,267 functions of CoSQA (MIT). A word in fewer than 1 of 200 texts is left out: the embedder gives it the
highest idf.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from math import log
from pathlib import Path

from holdfast.embedding.hashing import STOP_WORDS, words

LEAST_SHARE = 1 / 200


def table(texts: list[str]) -> dict[str, float]:
    """Return the idf of every word that is common enough to need one."""
    text_counts = Counter(word for text in texts for word in set(words(text)))
    return {
        word: log(1 + (len(texts) - count + 0.5) / (count + 0.5))
        for word, count in sorted(text_counts.items())
        if count >= len(texts) * LEAST_SHARE and word not in STOP_WORDS
    }


def main() -> int:
    source, target = map(Path, sys.argv[1:])
    lines = [f"{word} {value:.2f}\n" for word, value in table(json.loads(source.read_text("utf-8"))).items()]
    target.write_text("".join(lines), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
