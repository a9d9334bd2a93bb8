"""Fit how the full and the light judge are added up, on projects that neither has seen, and measure the sum.

    python -m scripts.judge.both DATA A.onnx A.bin

A.onnx and A.bin were trained with --leave-out. Prints the constants of `holdfast.judge.both` and the figures as
JSON; thresholds are read from them.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.judge import Judge, both
from holdfast.judge.full import FullJudge
from holdfast.judge.light import LightJudge
from scripts.judge import figures, pairs
from scripts.judge.data import Example, examples, is_held
from scripts.judge.light import is_left_out, nudged, populations

Floats = NDArray[np.float64]


def main() -> None:
    """Ask both judges, fit, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("full", type=Path)
    parser.add_argument("light", type=Path)
    options = parser.parse_args()
    full, light = FullJudge(options.full), LightJudge(str(options.light))
    found = [example for example in examples(options.data) if is_held(example.project)]
    fixed = pairs.fixed_pairs([rule for rule in pairs.statements(options.data) if is_left_out(rule.project)])
    report = {
        "constants": fitted(found, verdicts_of(full, found), verdicts_of(light, found)),
        **measured(both.BothJudge(full, light), found, fixed),
    }
    print(json.dumps(report, indent=1))


def verdicts_of(judge: Judge, found: list[Example]) -> Floats:
    """Ask a judge about examples."""
    return np.array(judge.lasts([example.sentence for example in found]))


def fitted(found: list[Example], full: Floats, light: Floats) -> dict[str, list[float]]:
    """Fit the weights of both log odds and the offset on real talk."""
    real = [
        at for at, example in enumerate(found) if example.source in ("talk", "shown") and example.project != "shop"
    ]
    answers = {
        "LASTS": np.array([found[at].lasts for at in real], float),
        "MUST": np.array([found[at].must for at in real], float),
    }
    return {
        name: regression(labels, figures.logit(np.stack([full[real, head], light[real, head]], 1)))
        for head, (name, labels) in enumerate(answers.items())
    }


def regression(labels: Floats, logits: Floats) -> list[float]:
    """Fit a logistic regression by Newton's method."""
    design = np.hstack([logits, np.ones((len(logits), 1))])
    weights = np.zeros(design.shape[1])
    for _ in range(30):
        probabilities = figures.sigmoid(design @ weights)
        slope = design.T @ (probabilities - labels)
        curvature = (design * (probabilities * (1 - probabilities))[:, None]).T @ design
        weights = weights - np.linalg.solve(curvature + 1e-6 * np.eye(len(weights)), slope)
    return [round(float(weight), 3) for weight in weights]


def measured(judge: Judge, found: list[Example], fixed: list[pairs.Pair]) -> dict[str, Any]:
    """Measure a judge on sentences by population, and on pairs."""
    verdicts = verdicts_of(judge, found)
    relations = np.array(judge.relates([(pair.older, pair.newer) for pair in fixed]))
    record: dict[str, Any] = {}
    for name, chosen in populations(found).items():
        few = [found[at] for at in chosen]
        record[name] = {**figures.of_sentences(few, verdicts[chosen]), "nudge": nudged(few, verdicts[chosen, 0])}
    for name, is_written in (("rules", False), ("written pairs", True)):
        rows = [at for at, pair in enumerate(fixed) if pair.project.startswith("pairs") == is_written]
        record[name] = figures.of_pairs([fixed[at] for at in rows], relations[rows])
    return record


if __name__ == "__main__":
    main()
