"""How much a memory or a sentence has to do with a prompt, by words alone. Light.

The scale of `recall.brief`, in arithmetic that needs no class. What a hook leaves out is meaning: no vector is
made while an agent waits.
"""

import math
import re

from holdfast.recall.stopwords import STOP_WORDS
from holdfast.stores.analyser import words

SATURATION, WORDLESS, UNKNOWN_COSINE = 1.2, 0.25, 0.42
FLOOR, RECALLS = 0.47, 1.2
KINDS = {
    "decision": 1.2, "warning": 1.2, "preference": 1.15, "architecture": 1.15, "pattern": 1.1, "error": 1.05,
    "bugfix": 1.05, "fact": 1.0, "discovery": 0.95, "feature": 0.95, "refactor": 0.9, "change": 0.9,
    "observation": 0.9, "file_change": 0.8, "task_progress": 0.8,
}  # fmt: skip
STATUSES = {"candidate": 0.9, "confirmed": 1.0, "pinned": 1.1}
TRUSTS = {"user": 1.1, "agent": 1.0, "imported": 0.9}
LASTING = frozenset(("decision", "architecture", "preference"))
OLD, FRESH = 0.9, 0.2
HALF_LIFE_DAYS, LASTING_HALF_LIFE_DAYS = 45, 180
READ, MOST_READ = 0.05, 0.25
DAY_MS = 86_400_000

MOST_TERMS, MOST_CHARS = 40, 8_192
_ORDERS = frozenset(
    (
        "please fix fixed fixing help make makes sure want wants need needs look looks check checks add "
        "implement implementing write create update change modify refactor improve explain tell show give find "
        "let try using use used way thing things something anything new like know see work works working"
    ).split()
)
"""Words of an order to an agent, not of what it is about; they count only where there are no others."""

_ASKS = (
    r"(?i)\b(?:did|do|does|have|had|are|were|should|can) (?:we|you|i|our)\b|\b(?:we|our|us)\b|\bsupposed to\b"
    r"|\b(?:decided|agreed|settled|rule|policy|convention|standard|remember|last time|again)\b"
)
_SENTENCE_END = r"(?<=[.!?;])\s+|\n+"


def telling(text: str) -> "dict[str, str]":
    """Return the words of a text that tell what it is about, by their index form."""
    clean = text[:MOST_CHARS].encode("utf-8", "ignore").decode()
    found: dict[str, str] = {}
    for word, stem in words(clean):
        found.setdefault(stem, word)
    said = {stem: word for stem, word in found.items() if word.lower() not in STOP_WORDS}
    about = {stem: word for stem, word in said.items() if word.lower() not in _ORDERS}
    return dict(list((about or said or found).items())[:MOST_TERMS])


def floor_of(prompt: str) -> float:
    """Return what an entry must be worth: less for a prompt that speaks of the project and its people."""
    return FLOOR / RECALLS if re.search(_ASKS, prompt[:MOST_CHARS]) else FLOOR


def shares(counts: "list[int]", documents: int) -> "list[float]":
    """Return what each term weighs, as a share of the rarest word there is."""
    most = max(math.log(1 + (documents - 0.5) / 1.5), 0.1) if documents else 0.1
    return [
        min(1.0, math.log(1 + (documents - holding + 0.5) / (holding + 0.5)) / most) if holding else 0.0
        for holding in counts
    ]


def relevance(weights: "list[float]", frequencies: "list[float]") -> float:
    """Return how relevant a text is that holds each term so often."""
    pairs = zip(weights, frequencies, strict=True)
    held = sum(share * count / (count + SATURATION) for share, count in pairs if count)
    return math.sqrt(held + WORDLESS) * UNKNOWN_COSINE


def recency(age_ms: int, kind: str) -> float:
    """Return what an entry counts for its age."""
    days = max(0, age_ms) / DAY_MS
    half = LASTING_HALF_LIFE_DAYS if kind in LASTING else HALF_LIFE_DAYS
    return OLD + FRESH * math.exp2(-days / half)


def read_often(reads: int) -> float:
    """Return what an entry counts for having been read."""
    return 1 + min(MOST_READ, READ * math.log2(1 + reads))


_RULE = frozenset(
    (
        "must mustn't never always only exactly forbidden require required requires limit limits limited unless "
        "except don't keep drop no every decision rule agreed decided settled chose switched"
    ).split()
)
_RULES = (
    "at most", "at least", "no more than", "not allowed", "do not", "has to", "have to", "by default",
    "from now on", "going forward", "no longer", "instead of", "we use", "we'll use", "go with", "going with",
    "let's use",
)  # fmt: skip
_DOUBT = frozenset("maybe might perhaps wonder wondering probably possibly could would seems".split())
_DOUBTS = ("i think", "i guess", "what if", "not sure", "feels like")


def settles(sentence: str) -> int:
    """Return how much a sentence sounds like a rule or a decision; nothing when it asks or doubts."""
    plain = sentence.lower().replace("’", "'").strip()
    said = set(re.findall(r"[a-z']+", plain))
    if plain.endswith("?") or said & _DOUBT or any(phrase in plain for phrase in _DOUBTS):
        return 0
    return len(said & _RULE) + sum(phrase in plain for phrase in _RULES)


def sentences(text: str) -> "list[str]":
    """Return the sentences of a text, code left out."""
    prose = re.sub(r"(?s)```.*?(?:```|\Z)", "\n", text[:MOST_CHARS])
    return [sentence.strip() for sentence in re.split(_SENTENCE_END, prose) if sentence.strip()]
