"""The judges on projects that they were not trained on: `python -m benchmarks.judge [--json FILE]`.

The labelled talk is read from HOLDFAST_BENCH_DATA/judge; `scripts/judge/data.py` says which of its projects were
left out. The models are those of the package, opened as the product opens them: `light`, `full`, and `both` (what
`best()` opens). A few minutes.

files      size of the models, and CPU of one sentence and of one pair
projects   sentences, the share of them that last, and each judge's average precision
kept       what the product keeps as said by the user (`sure`, or `likely` where it must not be missed): precision,
           recall, recall of what must not be missed; sentences of one turn share its thresholds
start      sentences that reach `VERY_SURE`, and the shares of them that last and that must not be missed
says/is    sentences by the probability of lasting that `both` gives them, and the share of them that last
nudge      turns that the light judge nudges: share of all, share of the must turns, share that is right
pairs      the share of pairs whose likeliest relation is right; replacements found at 3 % false alarms, and at the
           threshold of the product; precision and recall of `same`, by the likeliest relation and at the threshold
languages  prompts in other languages, 35 that last and 35 that do not: how many of either are kept and nudged
typed      the statements of `benchmarks.said`, as first prompt and behind a reply: how many the judges keep
"""

import argparse
import json
import os
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks import said
from benchmarks.data import missing, part
from holdfast import judge
from holdfast.capture.relations import ANCHORED, SURELY_SAME
from holdfast.judge import Judge, Sentence, Verdict
from holdfast.judge.both import BothJudge
from holdfast.judge.full import FILES
from holdfast.judge.thresholds import NUDGE, thresholds_of
from holdfast.judge.turns import OPENING, sentences_of
from holdfast.recall.brief.weights import VERY_SURE
from scripts.judge import figures, pairs
from scripts.judge.data import Example, Row, examples, is_held, rows_of

EVEN = 0.5
"""What `must` must reach for a sentence that is only likely to last to be kept."""

BINS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Figures = dict[str, dict[str, float]]


@dataclass(frozen=True)
class Answers:
    """One judge's answers about all that was left out."""

    judge: Judge
    verdicts: Floats
    relations: Floats
    sentence_ms: float
    pair_ms: float


@dataclass(frozen=True)
class Held:
    """What was left out of training, with its labels."""

    found: list[Example]
    drawn: list[pairs.Pair]

    @property
    def lasting(self) -> Floats:
        """1 for each sentence that lasts."""
        return np.array([example.lasts for example in self.found], float)

    @property
    def must(self) -> Floats:
        """1 for each sentence that must not be missed."""
        return np.array([example.must for example in self.found], float)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.judge")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    path = parser.parse_args().json
    figures_of_all = run()
    for name, row in figures_of_all.items():
        print(f"{name:<44}", "  ".join(f"{measure} {value:.3f}" for measure, value in row.items()))
    if path:
        path.write_text(json.dumps(figures_of_all, indent=2) + "\n", encoding="utf-8")


def run() -> Figures:
    """Measure both judges, apart and together."""
    place = part("judge")
    if place is None:
        print(missing("judge"))
        return {}
    held = Held(
        [example for example in examples(place) if is_held(example.project)],
        pairs.fixed_pairs([one for one in pairs.statements(place) if is_held(one.project)]),
    )
    light, full = judge.open_light(), judge.open_full()
    answers = {name: asked(one, held) for name, one in (("light", light), ("full", full))}
    answers["both"] = asked(BothJudge(full, light), held)
    both = answers["both"]
    return {
        **files(answers),
        **by_project(held, answers),
        **by_population(held, answers),
        **calibration(held, both),
        **nudges(held, answers["light"]),
        **relations(held, answers),
        **languages(rows_of(place / "languages.jsonl"), both.judge, light),
        **typed(answers),
    }


def asked(one: Judge, held: Held) -> Answers:
    """Put everything to a judge."""
    sentences = [example.sentence for example in held.found]
    verdicts, sentence_ms = timed(lambda: one.lasts(sentences), len(sentences))
    told, pair_ms = timed(lambda: one.relates([(pair.older, pair.newer) for pair in held.drawn]), len(held.drawn))
    return Answers(one, verdicts, told, sentence_ms, pair_ms)


def timed(act: Callable[[], Sequence[tuple[float, ...]]], count: int) -> tuple[Floats, float]:
    """Return what a call gives, as an array, and the milliseconds of CPU of each row."""
    began = time.process_time()
    rows = act()
    return np.array(rows), 1000 * (time.process_time() - began) / count


def files(answers: dict[str, Answers]) -> Figures:
    """Measure sizes and costs."""
    names = {"light": "light.bin", "full": "full.onnx"}
    return {
        f"files: {name}": {
            "MB": os.path.getsize(FILES / file) / 1e6,
            "ms a sentence": answers[name].sentence_ms,
            "ms a pair": answers[name].pair_ms,
        }
        for name, file in names.items()
    }


def by_project(held: Held, answers: dict[str, Answers]) -> Figures:
    """Measure average precision on each left-out project with more than four sentences that last."""
    rows: dict[str, list[int]] = {}
    for at, example in enumerate(held.found):
        if example.source in ("talk", "shown"):
            rows.setdefault(example.project, []).append(at)
    groups = {project: at for project, at in sorted(rows.items()) if held.lasting[at].sum() > 4}
    groups["real talk, all"] = figures.real_talk(held.found)
    groups[figures.SHORT] = figures.populations(held.found)[figures.SHORT]
    return {f"projects: {name}": precision_row(held.lasting, at, answers) for name, at in groups.items()}


def precision_row(lasting: Floats, at: list[int], answers: dict[str, Answers]) -> dict[str, float]:
    """Return one row of average precisions."""
    row = {"sentences": float(len(at)), "lasting": float(lasting[at].mean())}
    return row | {
        name: figures.average_precision(lasting[at], one.verdicts[at, 0]) for name, one in answers.items()
    }


def by_population(held: Held, answers: dict[str, Answers]) -> Figures:
    """Measure what the product keeps, and what a session's start may tell, by where sentences are from."""
    groups = {"real talk, all": figures.real_talk(held.found), **figures.populations(held.found)}
    table: Figures = {}
    for name, one in answers.items():
        chosen = kept(held, one)
        table |= {f"kept, {name}: {group}": kept_row(held, chosen, at) for group, at in groups.items()}
    sure = answers["both"].verdicts[:, 0] >= VERY_SURE
    return table | {f"start: {group}": start_row(held, sure, at) for group, at in groups.items()}


def kept(held: Held, one: Answers) -> Bools:
    """Return which sentences become statements said by the user."""
    chosen = np.zeros(len(held.found), bool)
    for rows in turns(held.found).values():
        sentences = [held.found[at].sentence for at in rows]
        verdicts = [Verdict(*one.verdicts[at]) for at in rows]
        chosen[rows] = kept_of(sentences, verdicts, one.judge)
    return chosen


def turns(found: Sequence[Example]) -> dict[tuple[str, str], list[int]]:
    """Group sentences by turn."""
    rows: dict[tuple[str, str], list[int]] = defaultdict(list)
    for at, example in enumerate(found):
        rows[example.project, example.turn].append(at)
    return rows


def kept_of(sentences: Sequence[Sentence], verdicts: Sequence[Verdict], one: Judge) -> list[bool]:
    """Return which sentences of a turn are kept, as capture and the balanced preset keep them."""
    limits = thresholds_of(one.limits, len(sentences), sum(len(sentence.text) for sentence in sentences))
    return [
        verdict.lasts >= limits.sure or (verdict.lasts >= limits.likely and verdict.must >= EVEN)
        for verdict in verdicts
    ]


def kept_row(held: Held, chosen: Bools, at: list[int]) -> dict[str, float]:
    """Return precision and recall of what is kept."""
    lasting, must, inside = held.lasting[at], held.must[at], chosen[at]
    return {
        "kept": float(inside.sum()),
        "precision": float(lasting[inside].mean()) if inside.any() else 1.0,
        "recall": float(inside[lasting > 0].mean()),
        "must recall": float(inside[must > 0].mean()),
    }


def start_row(held: Held, sure: Bools, at: list[int]) -> dict[str, float]:
    """Return how many sentences a start may tell and the shares of them that deserve it."""
    inside = sure[at]
    shares = (
        {"lasting": held.lasting[at][inside].mean(), "must": held.must[at][inside].mean()} if inside.any() else {}
    )
    return {"sentences": float(inside.sum())} | {name: float(share) for name, share in shares.items()}


def calibration(held: Held, both: Answers) -> Figures:
    """Compare probabilities with what was labelled, on real talk."""
    real = figures.real_talk(held.found)
    says, lasting = both.verdicts[real, 0], held.lasting[real]
    table: Figures = {}
    for low in BINS:
        inside = (says >= low) & (says < low + 0.1)
        if inside.any():
            row = {"sentences": float(inside.sum()), "says": float(says[inside].mean())}
            table[f"says/is, from {low}"] = row | {"is": float(lasting[inside].mean())}
    return table


def nudges(held: Held, light: Answers) -> Figures:
    """Measure the nudge by turn."""
    table: Figures = {}
    for name, at in {"real talk, all": figures.real_talk(held.found), **figures.populations(held.found)}.items():
        few = [held.found[one] for one in at]
        row = figures.nudge_at(few, light.verdicts[at, 0], NUDGE)
        table[f"nudge: {name}"] = {measure: row[measure] for measure in ("share", "must reached", "right")}
    return table


def relations(held: Held, answers: dict[str, Answers]) -> Figures:
    """Measure pairs of statements."""
    return {
        f"pairs, {name}: {group}": pair_row([held.drawn[at] for at in rows], one.relations[rows])
        for group, rows in figures.pair_populations(held.drawn).items()
        for name, one in answers.items()
    }


def pair_row(drawn: Sequence[pairs.Pair], told: Floats) -> dict[str, float]:
    """Return the figures of one judge on one kind of pairs."""
    truth = np.array([pair.relation for pair in drawn])
    record = figures.of_pairs(drawn, told)
    replaced, same = told[:, pairs.REPLACES] >= ANCHORED, told[:, pairs.SAME] >= SURELY_SAME
    replaces, is_same = truth == pairs.REPLACES, truth == pairs.SAME
    return {
        "pairs": float(len(drawn)),
        "right": record["right"],
        "replaces at 3 % false": record["replaces"]["3% false"]["found"],
        "replaces found": float(replaced[replaces].mean()),
        "replaces false": float(replaced[~replaces].mean()),
        "same P": record["same"]["precision"],
        "same R": record["same"]["recall"],
        "sure same P": float(is_same[same].mean()) if same.any() else 1.0,
        "sure same R": float(same[is_same].mean()),
    }


def languages(rows: Sequence[Row], both: Judge, light: Judge) -> Figures:
    """Count the prompts in other languages that are kept and nudged, rightly and wrongly."""
    table: Figures = {}
    for row in rows:
        counts = table.setdefault(f"languages: {row['lang']}", {})
        name = "right" if row["keep"] else "wrong"
        verdicts = light.lasts(sentences_of(row["text"], row["agent"]))
        is_nudged = any(verdict.lasts >= NUDGE for verdict in verdicts)
        for use, hit in (("kept", keeps(both, row["text"], row["agent"])), ("nudged", is_nudged)):
            counts[f"{use} {name}"] = counts.get(f"{use} {name}", 0.0) + hit
    return table


def typed(answers: dict[str, Answers]) -> Figures:
    """Count the short statements that are kept, by the verdict alone."""
    table: Figures = {}
    for name, one in answers.items():
        for place, reply in (("first", OPENING), ("second", said.REPLY)):
            lasting = [keeps(one.judge, text, agent or reply) for agent, text in said.LASTING]
            passing = [keeps(one.judge, text, reply) for text in said.PASSING]
            table[f"typed, {name}: {place} prompt"] = {
                f"of {len(lasting)} that last": float(sum(lasting)),
                f"of {len(passing)} that pass": float(sum(passing)),
            }
    return table


def keeps(one: Judge, text: str, agent: str) -> bool:
    """Return whether anything in a prompt is kept."""
    sentences = sentences_of(text, agent)
    return any(kept_of(sentences, one.lasts(sentences), one))


if __name__ == "__main__":
    main()
