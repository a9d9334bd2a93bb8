"""Rules to the file that hooks read: touch points, words with their weights, vectors, guards.

A rule that did not change is taken from the file that is there, so that compiling after one new rule costs one
rule. What a rule scores on calls of no concern (`background.json`) is measured here, once. Must not live here:
which memories are rules, and stores (`service.act`).
"""

import json
import os
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from holdfast.embedding.common_words import idf
from holdfast.embedding.static import bundled
from holdfast.machine import disk, paths
from holdfast.model.ids import digest
from holdfast.recall.act import match
from holdfast.recall.act.match import Call, CompiledRule
from holdfast.recall.act.touch import Point
from holdfast.recall.act.words import stems_of

MOST_RULES = 1_000
_TEXT_CHARS = 600
_RARITY = 4.0
"""Added to the weight of a rule's words, so that two words are no whole rule."""

BACKGROUND = os.path.join(os.path.dirname(__file__), "background.json")
"""Calls as agents make them all day in any project, written for this: a file and what is written into it, or no
file and a command line."""

FORM = 1
"""Raised when files made before must be made anew."""


class Rule(NamedTuple):
    """A rule to compile."""

    id: str
    title: str
    text: str
    line: str
    at: int
    points: Sequence[Point]
    guard: dict[str, object]


def compile_rules(rules: Sequence[Rule], files: "dict[str, list[str]]", path: str) -> bool:
    """Write the file of some rules, newest first, and of what is known by file, unless it says so already."""
    rules = rules[:MOST_RULES]
    marks = [_mark(rule) for rule in rules]
    head, vectors = match.read_head(path)
    if (head.get("marks"), head.get("files")) == (marks, files) or not (rules or files or head):
        return False
    known_rows = _known_rows(head, vectors)
    rows = [known_rows.get(mark) or _compiled(rule) for rule, mark in zip(rules, marks, strict=True)]
    text = json.dumps(
        {"marks": marks, "rules": [fields for fields, _ in rows], "files": files}, ensure_ascii=False
    ).encode()
    paths.make_private(os.path.dirname(path))
    disk.replace_file(
        path, match.HEAD.pack(match.MAGIC, len(text)) + text + b"".join(vector for _, vector in rows)
    )
    return True


def _mark(rule: Rule) -> str:
    """Return what is the same as long as a rule compiles to the same."""
    return digest(json.dumps([FORM, match.WEIGHTS, *rule], ensure_ascii=False))[:24]


def _known_rows(head: dict[str, object], vectors: memoryview) -> dict[str, tuple[dict[str, object], bytes]]:
    marks, rules = head.get("marks"), head.get("rules")
    if not isinstance(marks, list) or not isinstance(rules, list) or len(vectors) != len(rules) * match.DIMENSIONS:
        return {}
    size = match.DIMENSIONS
    return {
        mark: (rules[number], bytes(vectors[number * size : (number + 1) * size]))
        for number, mark in enumerate(marks)
    }


def _compiled(rule: Rule) -> tuple[dict[str, object], bytes]:
    """Return the fields of a rule, and its vector."""
    weights = {stem: round(idf(word), 2) for stem, word in stems_of(rule.text).items()}
    vector = bytes(round(127 * number) & 0xFF for number in bundled().encode(rule.text[:_TEXT_CHARS]))
    fields: dict[str, object] = {
        "id": rule.id,
        "title": rule.title,
        "line": rule.line,
        "at": rule.at,
        "points": [list(point) for point in rule.points],
        "stems": weights,
        "total": round(sum(weights.values()) + _RARITY, 2),
        "guard": rule.guard,
        "shift": 0.0,
    }
    fields["shift"] = round(_shift(CompiledRule(fields, memoryview(vector).cast("b"))), 4)
    return fields, vector


def compiled(rule: Rule) -> CompiledRule:
    """Return a rule as hooks read it, for trying it out."""
    fields, vector = _compiled(rule)
    return CompiledRule(fields, memoryview(vector).cast("b"))


def _shift(rule: CompiledRule) -> float:
    """Return what a rule scores on calls that are no concern of it: the mean, and some deviations."""
    scores = [match.raw_score(rule, call) for call in _background()]
    mean = sum(scores) / len(scores)
    variance = sum((score - mean) ** 2 for score in scores) / len(scores)
    return mean + match.BACKGROUND_DEVIATIONS * float(variance**0.5)


@cache
def _background() -> list[Call]:
    with open(BACKGROUND, encoding="utf-8") as file:
        examples = json.load(file)
    calls = [
        Call("Bash", {"command": line}) if not file else Call("Edit", {"new_string": line}, (file,))
        for file, line in examples
    ]
    for call in calls:
        call.read()
    return calls
