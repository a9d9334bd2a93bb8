"""The full and the light judge together: their log odds are added, weighed.

They err in different places. On projects that neither has seen, the sum finds more than the full judge alone, and
the light one costs less than a millisecond a prompt. Light to import.
"""

from collections.abc import Callable, Sequence
from math import exp, log
from typing import TypeVar

from holdfast.errors import ModelUnusable
from holdfast.judge import Judge, Relation, Sentence, Verdict
from holdfast.judge.thresholds import FULL
from holdfast.machine import failures

LASTS, MUST = (0.71, 0.55, 0.48), (0.8, 0.43, 0.57)
"""Weights of the full and of the light judge's log odds, and an offset: fitted by `scripts/judge/both.py`."""
RELATIONS = (0.8, 0.4)
"""Weights of the two judges' logarithms for a relation."""
_LEAST = 1e-6
V = TypeVar("V")


class BothJudge:
    """Weighs with two judges."""

    limits = FULL

    def __init__(self, full: Judge, light: Judge) -> None:
        self._full, self._light = full, light

    def lasts(self, sentences: Sequence[Sentence]) -> list[Verdict]:
        """Weigh sentences, each in its own place."""
        return self._sums(lambda judge: judge.lasts(sentences), _verdict)

    def relates(self, pairs: Sequence[tuple[str, str]]) -> list[Relation]:
        """Weigh pairs of statements, the older one first."""
        return self._sums(lambda judge: judge.relates(pairs), _relation)

    def _sums(self, ask: Callable[[Judge], list[V]], add: Callable[[V, V], V]) -> list[V]:
        """Add up both judges' verdicts; where the full one fails on a text, the light one's count alone."""
        light_verdicts = ask(self._light)
        try:
            return [add(*both) for both in zip(ask(self._full), light_verdicts, strict=True)]
        except ModelUnusable as error:
            failures.leave_once("judge", "", failures.describe(error))
            return light_verdicts


def _verdict(full: Verdict, light: Verdict) -> Verdict:
    lasts = _joined(full.lasts, light.lasts, LASTS)
    must = _joined(full.must, light.must, MUST)
    return Verdict(lasts, min(lasts, must), (full.working + light.working) / 2, (full.context + light.context) / 2)


def _joined(full: float, light: float, weights: tuple[float, float, float]) -> float:
    logit = weights[0] * _log_odds(full) + weights[1] * _log_odds(light) + weights[2]
    return 1 / (1 + exp(-logit))


def _log_odds(probability: float) -> float:
    return log(max(_LEAST, probability) / max(_LEAST, 1 - probability))


def _relation(full: Relation, light: Relation) -> Relation:
    powers = [
        max(_LEAST, one) ** RELATIONS[0] * max(_LEAST, other) ** RELATIONS[1]
        for one, other in zip(full, light, strict=True)
    ]
    total = sum(powers)
    same, replaces, near, other = (power / total for power in powers)
    return Relation(same, replaces, near, other)
