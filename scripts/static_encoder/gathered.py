"""What may be learnt of a source: texts and pairs that are English enough and not close to an evaluation set."""

import json
import re

GRAM = 8
STOP = frozenset(
    "a an the is are was were be do does did to of in on at for from with by how what when where which who why can"
    " could i my me you your we our it its and or that this python code function".split()
)
unseen_grams: set[int] = set()
unseen_short: set[object] = set()


def flat(text: str) -> str:
    """Put a text on one line."""
    return re.sub(r"\s+", " ", text).strip()


def words_of(text: str) -> list[str]:
    """Return a text's words as two texts are compared: lower case, letters and digits alone."""
    return re.findall(r"[a-z0-9]+", text.lower())


def telling(words: list[str]) -> object:
    """Return what two short texts are compared by: their telling words, or all of them where those are few."""
    content = frozenset(words) - STOP
    return content if len(content) >= 3 else " ".join(words)


def load_unseen(path: str) -> None:
    """Read the texts that must not be learnt."""
    with open(path, encoding="utf-8") as handle:
        for line in handle:
            words = words_of(json.loads(line))
            unseen_grams.update(hash(tuple(words[i : i + GRAM])) for i in range(len(words) - GRAM + 1))
            if words and len(words) <= 14:
                unseen_short.add(telling(words))


def near_unseen(text: str) -> bool:
    """Say whether a text is close to one that must not be learnt."""
    words = words_of(text)
    if len(words) <= 14 and telling(words) in unseen_short:
        return True
    return any(hash(tuple(words[i : i + GRAM])) in unseen_grams for i in range(len(words) - GRAM + 1))


class Gathered:
    """Texts and pairs of one source."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.pairs: list[tuple[str, str, str]] = []
        self.dropped = 0

    def text(self, text: str, kind: str) -> None:
        """Keep a text, unless it is hardly English or close to an unseen one."""
        text = flat(text)
        if not 3 <= len(text) <= 1200 or text in self.texts:
            return
        if sum(char.isascii() and (char.isalpha() or char == " ") for char in text) < 0.58 * len(text):
            return
        if near_unseen(text):
            self.dropped += 1
            return
        self.texts[text] = kind

    def pair(self, question: str, passage: str, kind: str) -> None:
        """Keep a question with a passage that answers it."""
        question, passage = flat(question), flat(passage)[:800]
        if not 8 <= len(question) <= 200 or len(passage) < 25:
            return
        if near_unseen(question) or near_unseen(passage):
            self.dropped += 1
            return
        self.pairs.append((question, passage, kind))
