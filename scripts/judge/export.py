"""Export a trained judge to an int8 ONNX file, calibrated and measured on what it never saw.

    python -m scripts.judge.export DATA WHEEL model.pt --output src/holdfast/judge/full.onnx

Lives here: files in, graph
and record out. The graph is in `graph`, the arithmetic in `figures`.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from holdfast.embedding import import_without_telemetry
from holdfast.judge.full import INPUTS, Tokens, pair_tokens, sentence_tokens
from holdfast.judge.turns import sentences_of
from scripts.build_minilm import Weights
from scripts.judge import figures, pairs
from scripts.judge.data import TRAINED_ON, WRITTEN, Example, examples, is_held, rows_of
from scripts.judge.figures import Calibration, Figures, Floats
from scripts.judge.full import JudgeModel, answers_of, averaged, logits, tokenizer_of
from scripts.judge.graph import Inputs, quantised

SEEN_BY_CALIBRATION = 300
"""Inputs that show how large the activations get."""


class Held(NamedTuple):
    """The sentences and pairs that the measured model never saw, with their tokens."""

    sentences: list[Example]
    sentence_tokens: list[Tokens]
    pairs: list[pairs.Pair]
    pair_tokens: list[Tokens]


def held_out(data: Path) -> Held:
    """Read what measures."""
    tokenizer = tokenizer_of()
    found = [example for example in examples(data) if is_held(example.project)]
    drawn = pairs.fixed_pairs([one for one in pairs.statements(data) if is_held(one.project)])
    return Held(
        found,
        [sentence_tokens(tokenizer, example.sentence) for example in found],
        drawn,
        [pair_tokens(tokenizer, pair.older, pair.newer) for pair in drawn],
    )


def weights_of(state: dict[str, torch.Tensor]) -> Weights:
    """Name the weights as the graph does."""
    return {name.removeprefix("encoder."): value.float().numpy() for name, value in state.items()}


def inputs_of(tokens: Tokens) -> Inputs:
    """Turn one input into arrays."""
    return {name: np.array([row], np.int64) for name, row in zip(INPUTS, tokens, strict=True)}


def shown(data: Path) -> list[Inputs]:
    """Choose inputs, from all kinds of rows, that show how large the activations get."""
    tokenizer = tokenizer_of()
    found, drawn = examples(data), pairs.fixed_pairs(pairs.statements(data))
    half = SEEN_BY_CALIBRATION // 2
    some = [sentence_tokens(tokenizer, one.sentence) for one in found[:: len(found) // half]]
    some += [pair_tokens(tokenizer, one.older, one.newer) for one in drawn[:: len(drawn) // half]]
    return [inputs_of(tokens) for tokens in some]


@functools.cache
def session_of(model: bytes) -> Any:
    """Open a graph on one thread."""
    onnxruntime = import_without_telemetry("onnxruntime")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def answers(model: bytes, output: str, inputs: Sequence[Tokens]) -> Floats:
    """Run the int8 graph on inputs, one at a time on one thread, as the product does."""
    session = session_of(model)
    return np.array([session.run([output], inputs_of(tokens))[0][0] for tokens in inputs], float)


def calibrate(held: Held, verdicts: Floats, relations: Floats) -> Calibration:
    """Fit the corrections on real talk, and on the pairs."""
    real = figures.real_talk(held.sentences)
    known = np.array([answers_of(held.sentences[at]) for at in real])
    truth = np.array([pair.relation for pair in held.pairs])
    return figures.calibrated(known, verdicts[real], truth, np.log(np.maximum(relations, 1e-9)))


def loss_of_quantising(state: dict[str, torch.Tensor], wheel: Path, held: Held, model: bytes) -> Figures:
    """Compare the uncalibrated int8 graph with torch in 32 bits on 500 sentences and as many pairs."""
    judge = JudgeModel(wheel)
    judge.load_state_dict(state)
    out: Figures = {}
    real = [at for at, one in enumerate(held.sentences) if one.source in ("talk", "shown")]
    chosen = real[:: len(real) // 500][:500]
    tokens = [held.sentence_tokens[at] for at in chosen]
    exact = logits(judge, tokens, of_pairs=False).sigmoid().double().numpy()
    coarse = answers(model, "verdict", tokens)
    labels = np.array([held.sentences[at].lasts for at in chosen], float)
    gap = np.abs(exact - coarse)[:, 0]
    out["sentences"] = {
        "mean": round(float(gap.mean()), 4),
        "largest": round(float(gap.max()), 4),
        "average precision": [
            round(figures.average_precision(labels, scores[:, 0]), 4) for scores in (exact, coarse)
        ],
    }
    some = held.pair_tokens[:: max(1, len(held.pair_tokens) // 500)][:500]
    apart = np.abs(
        logits(judge, some, of_pairs=True).softmax(-1).double().numpy() - answers(model, "relation", some)
    )
    out["pairs"] = {"mean": round(float(apart.mean()), 4), "largest": round(float(apart.max()), 4)}
    return out


def languages(data: Path, model: bytes, calibration: Calibration) -> Figures:
    """Measure prompts in other languages, on which nothing was trained; a prompt counts as its best sentence."""
    tokenizer, rows = tokenizer_of(), rows_of(data / "languages.jsonl")
    by_language: dict[str, list[tuple[bool, float]]] = {}
    for row in rows:
        tokens = [sentence_tokens(tokenizer, one) for one in sentences_of(row["text"], row["agent"])]
        best = figures.apply(calibration, answers(model, "verdict", tokens))[:, 0].max()
        by_language.setdefault(row["lang"], []).append((bool(row["keep"]), float(best)))
    return {language: figures.of_prompts(pairs) for language, pairs in by_language.items()}


def sizes(data: Path) -> dict[str, Any]:
    """Count the rows of the training data, by licence where they are not our own."""
    talk = Counter(row["licence"] for row in rows_of(data / "lasting.jsonl"))
    return {
        "lasting.jsonl": dict(sorted(talk.items())),
        "lasting_talk.jsonl": len(rows_of(data / "lasting_talk.jsonl")),
        "short.jsonl": len(rows_of(data / "short.jsonl")),
        "rules.jsonl": len(rows_of(data / "rules.jsonl")),
        "written": {path.name: len(rows_of(path)) for path in sorted(WRITTEN.glob("*.jsonl"))},
    }


def write(output: Path, model: bytes, record: dict[str, Any]) -> None:
    """Write the graph with its record."""
    output.write_bytes(model)
    whole = {"sha256": {output.name: hashlib.sha256(model).hexdigest()}, **record}
    output.with_suffix(".json").write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
    print(f"{output}: {len(model) / 1e6:.1f} MB", flush=True)


def options_of(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Calibrate, measure and export the full judge.")
    parser.add_argument("data", type=Path)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("--output", type=Path, required=True)
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    options = options_of(arguments)
    held, inputs, state = held_out(options.data), shown(options.data), averaged([options.model])
    plain = quantised(weights_of(state), Calibration(), inputs)
    verdicts = answers(plain, "verdict", held.sentence_tokens)
    relations = answers(plain, "relation", held.pair_tokens)
    calibration = calibrate(held, verdicts, relations)
    logs = np.log(np.maximum(relations, 1e-9))
    record = {
        "model": "holdfast-judge-int8",
        "trained on": TRAINED_ON,
        "calibration": calibration._asdict(),
        "data": sizes(options.data),
        figures.UNSEEN: figures.of_all(
            held.sentences,
            figures.apply(calibration, verdicts),
            held.pairs,
            figures.apply_to_relations(calibration, logs),
        ),
        "other languages": languages(options.data, plain, calibration),
        "lost by int8": loss_of_quantising(state, options.wheel, held, plain),
    }
    write(options.output, quantised(weights_of(state), calibration, inputs), record)
    return 0


if __name__ == "__main__":
    sys.exit(main())
