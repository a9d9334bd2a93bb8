"""Pairs of statements with their relation, drawn from rules, written rows and notes.

Lives here: reading the files that hold pairs, drawing a fresh set of pairs for each epoch, and the fixed set that
measures a model. Must not live here: tokens, tensors. The four relations are those of `holdfast.judge.Relation`:
the newer statement says the same, replaces the older one, is near it, or is about something else.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from scripts.judge.contrast import alike, opposite
from scripts.judge.data import BLOCK, RELATIONS, WRITTEN, rows_of

SAME, REPLACES, NEAR, OTHER = range(len(RELATIONS))
UNRELATED = 0.2
"""Share of common words below which two lasting sentences of a project are taken for two matters."""
LOOK_ALIKE = 0.6
"""Share of common words from which two rules of a project may be one rule told twice."""


class Pair(NamedTuple):
    """An older and a newer statement with the number of their relation."""

    older: str
    newer: str
    relation: int
    project: str


class Statement(NamedTuple):
    """One thing that lasts, with what was said about it later."""

    project: str
    forms: tuple[str, ...]
    replaces: tuple[str, ...]
    near: tuple[str, ...]
    compatible: tuple[str, ...]


def statements(data: Path) -> list[Statement]:
    """Read the rules of the data and the written rows."""
    written = [row for path in sorted(WRITTEN.glob("pairs*.jsonl")) for row in written_as_statements(path)]
    return rules_as_statements(data / "rules.jsonl") + written


def rules_as_statements(path: Path) -> list[Statement]:
    """Read rules.jsonl: said, note and restate say the same, amend replaces, near is near."""
    return [
        Statement(
            row["project"],
            (row["said"], row["note"], row["restate"]),
            tuple(filter(None, [row["amend"]])),
            tuple(filter(None, [row["near"]])),
            (),
        )
        for row in rows_of(path)
    ]


def written_as_statements(path: Path) -> list[Statement]:
    """Read one file of written pairs; a block of rows counts as a project."""
    return [
        Statement(
            f"{path.stem}-{number // BLOCK}",
            (row["said"], *row["same"]),
            tuple(row["replaces"]),
            tuple(row["near"]),
            tuple(row["compatible"]),
        )
        for number, row in enumerate(rows_of(path))
    ]


def notes(data: Path) -> list[tuple[str, str, str]]:
    """Return project, note and sentence of what lasts in real talk and can be understood by itself."""
    rows = rows_of(data / "lasting.jsonl") + rows_of(data / "lasting_talk.jsonl")
    return [
        (row["project"], row["note"], row["text"])
        for row in rows
        if row["class"] != "N" and row["note"] and not row["ctx"] and len(row["text"]) > 24
    ]


def words(text: str) -> frozenset[str]:
    """Return the words of a text, without the shortest."""
    return frozenset(word for word in re.findall(r"\w+", text.lower()) if len(word) > 2)


def common(one: str, other: str) -> float:
    """Measure the share of words that two texts have in common."""
    left, right = words(one), words(other)
    return len(left & right) / max(1, min(len(left), len(right)))


class Neighbours:
    """Finds other statements of the same project: at random, or the most alike that are not the same thing."""

    def __init__(self, told: Sequence[Statement]) -> None:
        self._by_project: dict[str, list[Statement]] = defaultdict(list)
        for statement in told:
            self._by_project[statement.project].append(statement)
        self._closest: dict[Statement, list[Statement]] = {}

    def distant(self, statement: Statement, rng: random.Random) -> Statement | None:
        """Draw any other statement of the project."""
        return self._drawn([other for other in self._by_project[statement.project] if other != statement], rng)

    def close(self, statement: Statement, rng: random.Random) -> Statement | None:
        """Draw one of the four statements of the project with the most words in common."""
        if statement not in self._closest:
            note = statement.forms[1]
            scored = sorted(
                (common(note, other.forms[1]), other)
                for other in self._by_project[statement.project]
                if other != statement
            )
            self._closest[statement] = [other for share, other in scored if share < LOOK_ALIKE][-4:]
        return self._drawn(self._closest[statement], rng)

    @staticmethod
    def _drawn(candidates: list[Statement], rng: random.Random) -> Statement | None:
        return rng.choice(candidates) if candidates else None


def pairs_of(statement: Statement, neighbours: Neighbours, rng: random.Random) -> list[Pair]:
    """Draw pairs for one statement: two of each relation where the statement has them."""
    project, forms = statement.project, statement.forms
    pairs = []
    for _ in range(2):
        older, newer = rng.sample(forms, 2)
        pairs.append(Pair(older, newer, SAME, project))
    for texts, relation in (
        (statement.replaces, REPLACES),
        (statement.near, NEAR),
        (statement.compatible, OTHER),
    ):
        pairs += [Pair(rng.choice(forms), rng.choice(texts), relation, project) for _ in range(2) if texts]
    if statement.replaces and rng.random() < 0.3:  # the first rule may come back after its amendment
        pairs.append(Pair(rng.choice(statement.replaces), rng.choice(forms), REPLACES, project))
    for find in (neighbours.distant, neighbours.close):
        pairs += _other(statement, find, rng)
    return pairs + contrasts(rng.choice(forms), rng.choice(forms), project, rng)


def contrasts(older: str, newer: str, project: str, rng: random.Random) -> list[Pair]:
    """Change single words of two texts that say the same: what is said again, and what is turned round."""
    pairs = []
    turned = opposite(newer, rng)
    if turned and rng.random() < 0.5:
        pairs.append(Pair(older, turned, REPLACES, project))
    if rng.random() < 0.3:
        pairs.append(Pair(older, alike(newer, rng), SAME, project))
    return pairs


def _other(
    statement: Statement, find: Callable[[Statement, random.Random], Statement | None], rng: random.Random
) -> list[Pair]:
    """Pair a statement with a sentence about another one of the project."""
    other = find(statement, rng)
    if other is None:
        return []
    text = rng.choice([*other.forms, *other.replaces, *other.near])
    return [Pair(rng.choice(statement.forms), text, OTHER, statement.project)]


def note_pairs(rows: Sequence[tuple[str, str, str]], rng: random.Random) -> list[Pair]:
    """Pair notes (project, note, sentence) with their sentence, and with one about another matter."""
    by_project: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for row in rows:
        by_project[row[0]].append(row)
    pairs = []
    for project, note, said in rows:
        if rng.random() < 0.5:
            older, newer = (note, said) if rng.random() < 0.7 else (said, note)
            pairs.append(Pair(older, newer, SAME, project))
            pairs += contrasts(note, note, project, rng)
        other = rng.choice(by_project[project])
        if rng.random() < 0.5 and common(note, " ".join(other[1:])) < UNRELATED:
            pairs.append(Pair(note, other[2], OTHER, project))
    return pairs


def draw(told: Sequence[Statement], noted: Sequence[tuple[str, str, str]], rng: random.Random) -> list[Pair]:
    """Draw the pairs of one epoch."""
    neighbours = Neighbours(told)
    pairs = [pair for statement in told for pair in pairs_of(statement, neighbours, rng)]
    return pairs + note_pairs(noted, rng)


def fixed_pairs(told: Sequence[Statement]) -> list[Pair]:
    """Return the pairs that measure a model: every relation once for what was said and once for its note."""
    rng, neighbours, pairs = random.Random(0), Neighbours(told), []
    for statement in told:
        project, forms = statement.project, statement.forms
        for older in forms[:2]:
            pairs += [Pair(older, text, SAME, project) for text in forms[2:]]
            pairs += [Pair(older, text, REPLACES, project) for text in statement.replaces]
            pairs += [Pair(older, text, NEAR, project) for text in statement.near]
            pairs += [Pair(older, text, OTHER, project) for text in statement.compatible]
            close, far = neighbours.close(statement, rng), neighbours.distant(statement, rng)
            pairs += [Pair(older, close.forms[2], OTHER, project)] if close else []
            pairs += [Pair(older, far.forms[1], OTHER, project)] if far else []
    return pairs
