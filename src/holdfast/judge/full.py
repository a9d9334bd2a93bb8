"""The full judge: a fine-tuned MiniLM in int8, run by onnxruntime on the CPU, one input at a time.

Lives here: the tokens of a sentence in its place and of a pair, and the code that runs the graph. Must not live
here: training (scripts/judge), thresholds. The graph takes the token ids of one input with their segments, no
padding and no mask: dynamic quantisation takes one scale for a whole input, so a verdict must not depend on its
neighbours. It answers both questions at once; calibration is in the graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.embedding import minilm
from holdfast.errors import ModelUnusable
from holdfast.judge import Relation, Sentence, Verdict, unusable
from holdfast.judge.english import is_english
from holdfast.judge.thresholds import FOREIGN, FULL

if TYPE_CHECKING:
    from tokenizers import Tokenizer

START, SEPARATOR = 101, 102
"""Token ids of [CLS] and [SEP]."""
PLACES = (1, 2, 4, 8, 16)
"""Bounds of a sentence's index in its turn; each range has an unused token of the vocabulary, from 1 on."""
AGENT_TOKENS, BEFORE_TOKENS, TEXT_TOKENS, AFTER_TOKENS = 40, 40, 80, 20
PAIR_TOKENS = 80
"""Tokens kept of each statement of a pair."""
FILES = Path(__file__).parent
CHARACTERS = 600
"""Characters of a text that are read at all."""
INPUTS = ("input_ids", "segments")
Tokens = tuple[list[int], list[int]]
"""Token ids and segments of one input: 1 where a verdict is about the token, 0 around it."""


def sentence_tokens(tokenizer: Tokenizer, sentence: Sentence) -> Tokens:
    """Lay out a sentence in its place: place, agent's last words, before, the sentence itself, after."""
    agent = _ids(tokenizer, sentence.agent[-220:])[-AGENT_TOKENS:]
    before = _ids(tokenizer, sentence.before[-300:])[-BEFORE_TOKENS:]
    text = _ids(tokenizer, sentence.text[:CHARACTERS])[:TEXT_TOKENS]
    after = _ids(tokenizer, sentence.after[:160])[:AFTER_TOKENS]
    place = 1 + sum(sentence.number >= bound for bound in PLACES)
    head = [START, place, *agent, SEPARATOR, *before, SEPARATOR]
    body = [*text, SEPARATOR]
    tail = [*after, SEPARATOR] if after else []
    return head + body + tail, [0] * len(head) + [1] * len(body) + [0] * len(tail)


def pair_tokens(tokenizer: Tokenizer, older: str, newer: str) -> Tokens:
    """Lay out two statements, the older one first."""
    first = [START, *_ids(tokenizer, older[:CHARACTERS])[:PAIR_TOKENS], SEPARATOR]
    second = [*_ids(tokenizer, newer[:CHARACTERS])[:PAIR_TOKENS], SEPARATOR]
    return first + second, [0] * len(first) + [1] * len(second)


def _ids(tokenizer: Tokenizer, text: str) -> list[int]:
    return tokenizer.encode(text, add_special_tokens=False).ids


class FullJudge:
    """Weighs sentences and pairs with the bundled encoder. Safe to share between threads.

    Opening it takes a third of a second. Raises ModelUnusable when a file or a package is missing or damaged.
    """

    limits = FULL

    def __init__(self, model: Path = FILES / "full.onnx") -> None:
        damaged_files = minilm.damaged_files(model.with_suffix(".json"))
        if damaged_files:
            raise unusable(f"{', '.join(damaged_files)} is missing or damaged")
        try:
            self._session = minilm.open_session(model)
            self._tokenizer = minilm.open_tokenizer(minilm.FILES / "tokenizer.json")
        except ModelUnusable as error:
            raise unusable(str(error.facts["problem"])) from error
        self._tokenizer.no_truncation()

    def lasts(self, sentences: Sequence[Sentence]) -> list[Verdict]:
        """Weigh sentences, each in its own place."""
        return [self._verdict(sentence) for sentence in sentences]

    def relates(self, pairs: Sequence[tuple[str, str]]) -> list[Relation]:
        """Weigh pairs of statements, the older one first."""
        return [Relation(*self._run("relation", pair_tokens(self._tokenizer, *pair))) for pair in pairs]

    def _verdict(self, sentence: Sentence) -> Verdict:
        lasts, must, working, context = self._run("verdict", sentence_tokens(self._tokenizer, sentence))
        if not is_english(sentence.text):
            lasts, must = _lowered(lasts), _lowered(must)
        return Verdict(lasts, min(must, lasts), working, context)

    def _run(self, output: str, tokens: Tokens) -> list[float]:
        """Run one input; onnxruntime lets other threads run meanwhile."""
        import numpy as np

        inputs = {name: np.array([row], np.int64) for name, row in zip(INPUTS, tokens, strict=True)}
        try:
            (answers,) = self._session.run([output], inputs)
        except Exception as error:  # onnxruntime raises a dozen types without a common root
            raise unusable(f"it failed on a text: {error}") from error
        probabilities: list[float] = answers[0].tolist()
        return probabilities


def _lowered(probability: float) -> float:
    odds = probability / max(1e-9, 1 - probability) * exp(-FOREIGN)
    return odds / (1 + odds)
