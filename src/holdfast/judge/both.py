"""The full and the light judge together: their log odds are added, weighed.

They err in different places. On projects that neither has seen, the sum finds more than the full judge alone, and
the light one costs less than a millisecond a prompt. Light to import.
"""

from collections.abc import Sequence
from math import exp, log

from holdfast.errors import ModelUnusable
from holdfast.judge import Judge, Relation, Sentence, Verdict
from holdfast.judge.thresholds import FULL
from holdfast.machine import failures

LASTS, MUST = (0.71, 0.55, 0.48), (0.8, 0.43, 0.57)
"""Weights of the full and of the light judge's log odds, and an offset: fitted by `scripts/judge/both.py`."""
RELATIONS = (0.8, 0.4)
"""Weights of the two judges' logarithms for a relation."""
_LEAST = 1e-6


class BothJudge:
    """Weighs with two judges."""

    name = "full"
    limits = FULL

    def __init__(self, full: Judge, light: Judge) -> None:
        self._full, self._light = full, light

    def lasts(self, sentences: Sequence[Sentence]) -> list[Verdict]:
        """Weigh sentences, each in its own place; by the light judge alone where the full one fails."""
        verdicts = self._light.lasts(sentences)
        try:
            both = zip(self._full.lasts(sentences), verdicts, strict=True)
        except ModelUnusable as error:
            failures.leave_once("judge", "", failures.describe(error))
            return verdicts
        return [_verdict(full, light) for full, light in both]

    def relates(self, pairs: Sequence[tuple[str, str]]) -> list[Relation]:
        """Weigh pairs of statements, the older one first; by the light judge alone where the full one fails."""
        relations = self._light.relates(pairs)
        try:
            both = zip(self._full.relates(pairs), relations, strict=True)
        except ModelUnusable as error:
            failures.leave_once("judge", "", failures.describe(error))
            return relations
        return [_relation(full, light) for full, light in both]


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
