"""Train the light judge: eight linear heads over hashed features, quantised into one file that is mapped.

    python -m scripts.judge.light DATA [--output light.bin]

DATA is the folder of labelled talk. Needs scikit-learn and scipy, on one thread a few minutes. Features come
from the package's own functions, so what is trained is what runs. The projects of `is_held` are left out: they
calibrate the probabilities (real talk only, never written examples) and measure the file that is shipped.
"""

import argparse
import json
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, diags
from sklearn.linear_model import LogisticRegression

from holdfast.judge import light, pair_features, sentence_features
from holdfast.judge.sentence_features import Group
from scripts.judge import figures, pairs
from scripts.judge.data import TRAINED_ON, Example, examples, is_held, once

PACKAGE = Path(light.__file__).with_name("light.bin")
MODEL = "holdfast-judge-light"
SENTENCE_BITS, PAIR_BITS = 18, 17
QUESTIONS = ("lasts", "must", "working", "context")
LEAST_SEEN = 3
"""Training texts in which a feature stands; a rarer one weighs nothing."""
DRAWS = 4
"""Sets of pairs that are drawn and put together."""
STRENGTHS = {"lasts": 1.0, "must": 1.0, "working": 1.0, "context": 1.0, "pairs": 2.0}
"""Inverse strength of regularisation."""
LARGEST = 32_767
Floats = NDArray[np.float64]


class Head(NamedTuple):
    """A linear model: one weight a slot, and a bias."""

    weights: Floats
    bias: float


class Built(NamedTuple):
    """All heads, before calibration."""

    sentences: list[Head]
    relations: list[Head]


def main() -> None:
    """Read the arguments, train, write the file and its record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--output", type=Path, default=PACKAGE)
    options = parser.parse_args()
    found, told = examples(options.data), pairs.statements(options.data)
    built = trained(
        [example for example in found if not is_held(example.project)],
        [statement for statement in told if not is_held(statement.project)],
        [note for note in pairs.notes(options.data) if not is_held(note[0])],
    )
    held = [example for example in found if is_held(example.project)]
    write(options.output, built, measured(built, held, [one for one in told if is_held(one.project)]))


def trained(
    found: Sequence[Example], told: Sequence[pairs.Statement], noted: Sequence[tuple[str, str, str]]
) -> Built:
    """Train all heads."""
    lessons = once(found)
    rows = matrix((sentence_features.groups_of(lesson.sentence) for lesson in lessons), SENTENCE_BITS)
    heads = [sentence_head(question, lessons, rows) for question in QUESTIONS]
    drawn = [pair for seed in range(DRAWS) for pair in pairs.draw(told, noted, Random(seed))]
    distinct = sorted(set(drawn))  # texts that share words stand together: their vectors are kept for a while
    return Built(heads, relation_heads(distinct, pair_matrix(distinct)))


def sentence_head(question: str, lessons: Sequence[Example], rows: csr_matrix) -> Head:
    """Train one question on the sentences that answer it."""
    answers = np.array([answer_of(question, lesson) for lesson in lessons])
    known = np.flatnonzero(~np.isnan(answers))
    return fitted(rows[known], answers[known], STRENGTHS[question])


def answer_of(question: str, lesson: Example) -> float:
    """Return 1, 0, or NaN where the question does not arise."""
    if question == "lasts":
        return float(lesson.lasts)
    if question == "must":
        return float(lesson.must)
    if question == "working":
        return float(lesson.kind == "R") if lesson.kind in ("R", "D") else np.nan
    return float(lesson.context) if lesson.lasts and lesson.source in ("talk", "shown") else np.nan


def fitted(rows: csr_matrix, answers: Floats, strength: float) -> Head:
    """Fit one head."""
    weighed, factors = by_rarity(rows)
    model = LogisticRegression(C=strength, solver="liblinear", tol=1e-3, random_state=0)
    model.fit(weighed, answers)
    return Head(model.coef_[0] * factors, float(model.intercept_[0]))


def relation_heads(told: Sequence[pairs.Pair], rows: csr_matrix) -> list[Head]:
    """Fit the four relations together."""
    used = np.flatnonzero(np.bincount(rows.indices, minlength=rows.shape[1]) >= LEAST_SEEN)
    model = LogisticRegression(C=STRENGTHS["pairs"], max_iter=150, tol=1e-3)
    model.fit(rows[:, used], [pair.relation for pair in told])
    heads = []
    for coefficients, bias in zip(model.coef_, model.intercept_, strict=True):
        weights = np.zeros(rows.shape[1])
        weights[used] = coefficients
        heads.append(Head(weights, float(bias)))
    return heads


def by_rarity(rows: csr_matrix) -> tuple[csr_matrix, Floats]:
    """Scale features by how rare they are; features that are too rare get nothing."""
    seen = np.bincount(rows.indices, minlength=rows.shape[1])
    factors = (np.log((1 + rows.shape[0]) / (1 + seen)) + 1) / 3
    factors[seen < LEAST_SEEN] = 0.0
    return (rows @ diags(factors)).tocsr(), factors


def matrix(texts: Iterable[list[Group]], bits: int) -> csr_matrix:
    """Put features into rows, hashed as at run time."""
    mask, starts, slots, values = (1 << bits) - 1, [0], [], []
    for groups in texts:
        for scale, numbers in groups:
            slots += [number & mask for number in numbers]
            values += [scale] * len(numbers)
        starts.append(len(slots))
    rows = csr_matrix((values, slots, starts), shape=(len(starts) - 1, 1 << bits), dtype=np.float64)
    rows.sum_duplicates()
    return rows


def pair_matrix(told: Iterable[pairs.Pair]) -> csr_matrix:
    """Put the features of pairs into rows."""
    return matrix((pair_features.groups_of(pair.older, pair.newer) for pair in told), PAIR_BITS)


def scores(heads: Sequence[Head], rows: csr_matrix) -> Floats:
    """Return the logits of all heads, before calibration."""
    return np.stack([rows @ head.weights + head.bias for head in heads], 1)


def measured(built: Built, found: Sequence[Example], told: Sequence[pairs.Statement]) -> dict[str, Any]:
    """Calibrate on left-out projects and measure there."""
    logits = scores(
        built.sentences, matrix((sentence_features.groups_of(one.sentence) for one in found), SENTENCE_BITS)
    )
    fixed = pairs.fixed_pairs(told)
    relations = scores(built.relations, pair_matrix(fixed))
    calibration = calibrated(found, logits, fixed, relations)
    verdicts = corrected(logits, calibration["slopes"], calibration["offsets"])
    powers = np.exp(calibration["relation slope"] * (relations - relations.max(1, keepdims=True)))
    probabilities = powers / powers.sum(1, keepdims=True)
    return {"calibration": calibration, figures.UNSEEN: figures.of_all(found, verdicts, fixed, probabilities)}


def calibrated(
    found: Sequence[Example], logits: Floats, fixed: Sequence[pairs.Pair], relations: Floats
) -> dict[str, Any]:
    """Fit slope and offset of each head on real talk, and one slope for relations."""
    real = figures.real_talk(found)
    fits = []
    for number, question in enumerate(QUESTIONS):
        answers = np.array([answer_of(question, found[at]) for at in real])
        known = np.flatnonzero(~np.isnan(answers))
        fits.append(figures.platt(answers[known], logits[real, number][known]))
    truth = np.array([pair.relation for pair in fixed])
    return {
        "slopes": [slope for slope, _ in fits],
        "offsets": [offset for _, offset in fits],
        "relation slope": figures.temperature(truth, relations),
    }


def corrected(logits: Floats, slopes: Sequence[float], offsets: Sequence[float]) -> Floats:
    """Apply the calibration of sentences."""
    verdicts = figures.sigmoid(logits * np.array(slopes) + np.array(offsets))
    verdicts[:, 1] = np.minimum(verdicts[:, 0], verdicts[:, 1])
    return verdicts


def write(path: Path, built: Built, record: dict[str, Any]) -> None:
    """Quantise, write the mapped file and its record."""
    calibration = record["calibration"]
    slopes = [*calibration["slopes"], *[calibration["relation slope"]] * len(built.relations)]
    offsets = [*calibration["offsets"], *[0.0] * len(built.relations)]
    numbers, parts = [], []
    for head, slope, offset in zip([*built.sentences, *built.relations], slopes, offsets, strict=True):
        step = float(np.abs(head.weights).max()) / LARGEST or 1.0
        parts.append(np.rint(head.weights / step).astype("<i2").tobytes())
        numbers += [head.bias * slope + offset, step * slope]
    content = light.HEADER.pack(light.MAGIC, SENTENCE_BITS, PAIR_BITS, *numbers) + b"".join(parts)
    path.write_bytes(content)
    about = {
        "sha256": {path.name: sha256(content).hexdigest()},
        "model": MODEL,
        "trained on": TRAINED_ON,
        **record,
    }
    path.with_suffix(".json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
