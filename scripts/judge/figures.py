"""Figures of the judge on what it never saw, and the calibration of its probabilities.

Lives here: arithmetic on labels and probabilities. Must not live here: models, files.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scripts.judge.data import RELATIONS, Example
from scripts.judge.pairs import REPLACES, SAME, Pair

Floats = NDArray[np.float64]
Figures = dict[str, Any]
THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
UNSEEN = "figures on what the model never saw"
TALK, SETS, SHOP, SHORT = "left-out projects", "real talk sets", "shop (written talk)", "written short prompts"
RULES, WRITTEN_PAIRS = "pairs of rules", "written pairs"


class Calibration(NamedTuple):
    """Corrections of logits: slope and offset of each question, one slope of all relations."""

    slopes: tuple[float, ...] = (1.0, 1.0, 1.0, 1.0)
    offsets: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0)
    relation_slope: float = 1.0


def of_all(
    found: Sequence[Example], verdicts: Floats, drawn: Sequence[Pair], relations: Floats
) -> dict[str, Figures]:
    """Measure sentences by population, and pairs."""
    record: dict[str, Figures] = {}
    for name, rows in populations(found).items():
        few = [found[at] for at in rows]
        record[name] = {**of_sentences(few, verdicts[rows]), "nudge": nudged(few, verdicts[rows, 0])}
    for name, rows in pair_populations(drawn).items():
        record[name] = of_pairs([drawn[at] for at in rows], relations[rows])
    return record


def populations(found: Sequence[Example]) -> dict[str, list[int]]:
    """Sort sentences by where they are from: projects, the real and the written shown sets, short prompts."""
    names = {"talk": TALK, "shown": SETS, "short": SHORT, "written": SHORT}
    groups: dict[str, list[int]] = {name: [] for name in (TALK, SETS, SHOP, SHORT)}
    for at, example in enumerate(found):
        groups[SHOP if example.project == "shop" else names[example.source]].append(at)
    return {name: rows for name, rows in groups.items() if rows}


def real_talk(found: Sequence[Example]) -> list[int]:
    """Choose what real persons said: probabilities are calibrated on it."""
    groups = populations(found)
    return [*groups.get(TALK, ()), *groups.get(SETS, ())]


def pair_populations(drawn: Sequence[Pair]) -> dict[str, list[int]]:
    """Sort pairs by where they are from: rules of projects, and written rows."""
    groups: dict[str, list[int]] = {RULES: [], WRITTEN_PAIRS: []}
    for at, pair in enumerate(drawn):
        groups[WRITTEN_PAIRS if pair.project.startswith("pairs") else RULES].append(at)
    return {name: rows for name, rows in groups.items() if rows}


def average_precision(labels: Floats, scores: Floats) -> float:
    """Average the precision over all that should be found."""
    ordered = labels[np.argsort(-scores, kind="stable")]
    ranks = np.arange(1, len(ordered) + 1)
    return float((np.cumsum(ordered) / ranks * ordered).sum() / max(1, ordered.sum()))


def logit(probabilities: Floats) -> Floats:
    """Turn probabilities back into logits."""
    clipped = np.clip(probabilities, 1e-7, 1 - 1e-7)
    return np.asarray(np.log(clipped / (1 - clipped)))


def sigmoid(logits: Floats) -> Floats:
    """Turn logits into probabilities."""
    return np.asarray(1 / (1 + np.exp(-logits)))


def platt(labels: Floats, logits: Floats) -> tuple[float, float]:
    """Fit slope and offset of logits by Newton's method."""
    design = np.stack([logits, np.ones_like(logits)], 1)
    weights = np.array([1.0, 0.0])
    for _ in range(50):
        probabilities = sigmoid(design @ weights)
        gradient = design.T @ (probabilities - labels)
        curvature = (design * (probabilities * (1 - probabilities))[:, None]).T @ design + 1e-6 * np.eye(2)
        weights = weights - np.linalg.solve(curvature, gradient)
    return float(weights[0]), float(weights[1])


def temperature(relations: NDArray[np.int64], log_probabilities: Floats) -> float:
    """Choose the slope of all relations that makes the true ones most likely."""

    def cost(slope: float) -> float:
        scaled = slope * log_probabilities
        total = np.log(np.exp(scaled - scaled.max(1, keepdims=True)).sum(1)) + scaled.max(1)
        return float((total - scaled[np.arange(len(scaled)), relations]).mean())

    return float(min(np.arange(0.2, 2.01, 0.02), key=cost))


def calibrated(
    answers: Floats, verdicts: Floats, relations: NDArray[np.int64], log_probabilities: Floats
) -> Calibration:
    """Fit all corrections; `answers` has a NaN where a row says nothing about a question."""
    fits = []
    for question in range(answers.shape[1]):
        known = ~np.isnan(answers[:, question])
        fits.append(platt(answers[known, question], logit(verdicts[known, question])))
    slopes, offsets = zip(*fits, strict=True)
    return Calibration(
        tuple(round(slope, 4) for slope in slopes),
        tuple(round(offset, 4) for offset in offsets),
        round(temperature(relations, log_probabilities), 2),
    )


def apply(calibration: Calibration, verdicts: Floats) -> Floats:
    """Correct the probabilities of sentences."""
    out = sigmoid(logit(verdicts) * np.array(calibration.slopes) + np.array(calibration.offsets))
    out[:, 1] = np.minimum(out[:, 0], out[:, 1])
    return out


def apply_to_relations(calibration: Calibration, log_probabilities: Floats) -> Floats:
    """Correct the probabilities of pairs."""
    powers = np.exp(calibration.relation_slope * log_probabilities)
    return np.asarray(powers / powers.sum(1, keepdims=True))


def of_sentences(found: Sequence[Example], verdicts: Floats) -> Figures:
    """Measure by project and in all: average precision, and what a threshold keeps."""
    lasting = np.array([example.lasts for example in found], float)
    must = np.array([example.must for example in found], float)
    by_project: dict[str, list[int]] = defaultdict(list)
    for at, example in enumerate(found):
        by_project[example.project].append(at)
    return {
        "sentences": len(found),
        "lasting": round(float(lasting.mean()), 3),
        "average precision": round(average_precision(lasting, verdicts[:, 0]), 3),
        "average precision of must": round(average_precision(must, verdicts[:, 1]), 3),
        "by project": {
            project: {
                "sentences": len(rows),
                "lasting": round(float(lasting[rows].mean()), 3),
                "average precision": round(average_precision(lasting[rows], verdicts[rows, 0]), 3),
                **kept(lasting[rows], must[rows], verdicts[rows, 0], 0.5),
            }
            for project, rows in sorted(by_project.items())
            if lasting[rows].sum() > 4 and found[rows[0]].source in ("talk", "shown")
        },
        "precision at recall": precision_at_recall(lasting, verdicts[:, 0]),
        "at": {str(threshold): kept(lasting, must, verdicts[:, 0], threshold) for threshold in THRESHOLDS},
        "thresholds": _thresholds(lasting, must, verdicts[:, 0]),
        "by turn": of_turns(found, verdicts[:, 0]),
        **of_heads(found, verdicts),
    }


def of_turns(found: Sequence[Example], scores: Floats) -> Figures:
    """Measure whole turns, each counted as its best sentence: keeping it is right when anything in it lasts."""
    turns: dict[tuple[str, str], list[int]] = defaultdict(list)
    for at, example in enumerate(found):
        turns[example.project, example.turn].append(at)
    rows = list(turns.values())
    lasting = np.array([any(found[at].lasts for at in row) for row in rows], float)
    must = np.array([any(found[at].must for at in row) for row in rows], float)
    best = np.array([scores[row].max() for row in rows])
    return {
        "turns": len(rows),
        "lasting": round(float(lasting.mean()), 3),
        "average precision": round(average_precision(lasting, best), 3),
        "precision at recall": precision_at_recall(lasting, best),
        "at": {str(threshold): kept(lasting, must, best, threshold) for threshold in THRESHOLDS},
        "thresholds": _thresholds(lasting, must, best),
    }


def nudged(found: Sequence[Example], lasts: Floats) -> list[Figures]:
    """Measure nudges at which a share of the turns is nudged, the surest ones."""
    best = turn_table(found, lasts)[:, 0]
    shares = (0.1, 0.15, 0.2, 0.25)
    return [nudge_at(found, lasts, float(np.quantile(best, 1 - share))) for share in shares]


def nudge_at(found: Sequence[Example], lasts: Floats, threshold: float) -> Figures:
    """Measure a nudge: the share of turns, the must turns reached, and the share of nudges that is right."""
    table = turn_table(found, lasts)
    chosen = table[:, 0] > threshold
    return {
        "threshold": round(threshold, 3),
        "share": round(float(chosen.mean()), 3),
        "must reached": round(float(table[chosen, 1].sum() / max(1.0, table[:, 1].sum())), 3),
        "right": round(float(table[chosen, 2].mean()), 3) if chosen.any() else None,
    }


def turn_table(found: Sequence[Example], lasts: Floats) -> Floats:
    """Return a row a turn: its highest probability, whether it must be noted, and whether anything in it lasts."""
    turns: dict[tuple[str, str], list[float]] = {}
    for example, probability in zip(found, lasts, strict=True):
        turn = turns.setdefault((example.project, example.turn), [0.0, 0.0, 0.0])
        for column, value in enumerate((probability, example.must, example.lasts)):
            turn[column] = max(turn[column], float(value))
    return np.array(list(turns.values()))


def of_heads(found: Sequence[Example], verdicts: Floats) -> Figures:
    """Measure the questions that are asked of lasting sentences only."""
    known = [at for at, example in enumerate(found) if example.kind in ("R", "D")]
    working = np.array([found[at].kind == "R" for at in known], float)
    lasting = [at for at, example in enumerate(found) if example.lasts]
    context = np.array([found[at].context for at in lasting], float)
    return {
        "working right": round(float(((verdicts[known, 2] > 0.5) == working).mean()), 3) if known else None,
        "share of working": round(float(working.mean()), 3) if known else None,
        "context average precision": round(average_precision(context, verdicts[lasting, 3]), 3),
        "share of context": round(float(context.mean()), 3) if lasting else None,
    }


def kept(lasting: Floats, must: Floats, scores: Floats, threshold: float) -> Figures:
    """Measure what stays at a threshold."""
    chosen = scores >= threshold
    return {
        "precision": round(float(lasting[chosen].mean()), 3) if chosen.any() else None,
        "recall": round(float(chosen[lasting > 0].mean()), 3),
        "must recall": round(float(chosen[must > 0].mean()), 3) if must.any() else None,
        "kept": int(chosen.sum()),
    }


def precision_at_recall(labels: Floats, scores: Floats) -> dict[str, float]:
    """Read the precision where a share of all is found."""
    right = np.cumsum(labels[np.argsort(-scores, kind="stable")])
    precision = right / np.arange(1, len(labels) + 1)
    return {
        str(share): round(float(precision[np.argmax(right / max(1, labels.sum()) >= share)]), 3)
        for share in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
    }


def _thresholds(lasting: Floats, must: Floats, scores: Floats) -> Figures:
    return {f"precision {least}": _lowest(lasting, must, scores, least) for least in (0.7, 0.75, 0.8, 0.85)}


def _lowest(lasting: Floats, must: Floats, scores: Floats, precision: float) -> Figures | None:
    """Find the lowest threshold with a precision."""
    order = np.argsort(-scores, kind="stable")
    precisions = np.cumsum(lasting[order]) / np.arange(1, len(order) + 1)
    reached = np.flatnonzero(precisions >= precision)
    if not len(reached):
        return None
    threshold = float(scores[order[reached[-1]]])
    return {"threshold": round(threshold, 3), **kept(lasting, must, scores, threshold)}


def of_prompts(prompts: Sequence[tuple[bool, float]]) -> Figures:
    """Measure whole prompts: average precision, and how many of either kind are kept."""
    lasting, scores = (np.array(column, float) for column in zip(*prompts, strict=True))
    out: Figures = {
        "prompts": len(prompts),
        "lasting": int(lasting.sum()),
        "average precision": round(average_precision(lasting, scores), 3),
    }
    for threshold in (0.3, 0.5, 0.7):
        chosen = scores >= threshold
        out[f"at {threshold}"] = {
            "kept": int((chosen & (lasting > 0)).sum()),
            "kept wrongly": int((chosen & (lasting == 0)).sum()),
        }
    return out


def of_pairs(pairs: Sequence[Pair], probabilities: Floats) -> Figures:
    """Measure the relations: all four, what replaces at few false alarms, and what is the same."""
    truth = np.array([pair.relation for pair in pairs])
    chosen = probabilities.argmax(1)
    confusion = [[int(((truth == i) & (chosen == j)).sum()) for j in range(4)] for i in range(4)]
    return {
        "pairs": len(pairs),
        "right": round(float((truth == chosen).mean()), 3),
        "true by rows, chosen by columns": dict(zip(RELATIONS, confusion, strict=True)),
        "replaces": {f"{share:.0%} false": _found(truth, probabilities, share) for share in (0.01, 0.03, 0.05)},
        "same": _same(truth, chosen, probabilities),
    }


def _found(truth: NDArray[np.int64], probabilities: Floats, share: float) -> Figures:
    """Find the threshold at which a share of what does not replace passes for it."""
    scores = probabilities[:, REPLACES]
    threshold = float(np.quantile(scores[truth != REPLACES], 1 - share))
    return {
        "threshold": round(threshold, 3),
        "found": round(float((scores[truth == REPLACES] > threshold).mean()), 3),
    }


def _same(truth: NDArray[np.int64], chosen: NDArray[np.int64], probabilities: Floats) -> Figures:
    same = truth == SAME
    scores = probabilities[:, SAME]

    def at(threshold: float) -> tuple[float, float]:
        picked = scores >= threshold
        return float(same[picked].mean()) if picked.any() else 1.0, float(picked[same].mean())

    out: Figures = {
        "precision": round(float(same[chosen == SAME].mean()), 3),
        "recall": round(float((chosen == SAME)[same].mean()), 3),
    }
    for least in (0.85, 0.9, 0.95):
        fitting = [threshold for threshold in np.arange(0.02, 0.99, 0.01) if at(threshold)[0] >= least]
        if fitting:
            out[f"at precision {least}"] = {
                "threshold": round(float(fitting[0]), 2),
                "recall": round(at(fitting[0])[1], 3),
            }
    return out
