"""Fit how the full and the light judge are added up, on projects that neither was trained on.

    python -m scripts.judge.both DATA

Prints the constants of `holdfast.judge.both`, and the average precision of the sum where each project's constants
were fitted on the other projects. `python -m benchmarks.judge` measures what is in the package.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from holdfast.judge import Judge, open_full, open_light
from scripts.judge import figures
from scripts.judge.data import Example, examples, is_held

Floats = NDArray[np.float64]


def main() -> None:
    """Ask both judges, fit, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    found = [example for example in examples(parser.parse_args().data) if is_held(example.project)]
    real = [found[at] for at in figures.real_talk(found)]
    logits = figures.logit(np.stack([verdicts_of(judge(), real) for judge in (open_full, open_light)], 2))
    answers = {"LASTS": [example.lasts for example in real], "MUST": [example.must for example in real]}
    report: dict[str, object] = {
        name: regression(np.array(labels, float), logits[:, head])
        for head, (name, labels) in enumerate(answers.items())
    }
    lasts = np.array(answers["LASTS"], float)
    crossed = one_out([example.project for example in real], lasts, logits[:, 0])
    report["average precision, each project by the others' constants"] = round(
        figures.average_precision(lasts, crossed), 3
    )
    print(json.dumps(report, indent=1))


def verdicts_of(judge: Judge, found: list[Example]) -> Floats:
    """Ask a judge about examples: lasting and must."""
    return np.array(judge.lasts([example.sentence for example in found]))[:, :2]


def one_out(projects: list[str], labels: Floats, logits: Floats) -> Floats:
    """Return each project's sums by constants that were fitted on the others."""
    names, sums = np.array(projects), np.zeros(len(labels))
    for project in sorted(set(projects)):
        inside = names == project
        *weights, offset = regression(labels[~inside], logits[~inside])
        sums[inside] = logits[inside] @ np.array(weights) + offset
    return sums


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


if __name__ == "__main__":
    main()
