"""The probabilities from which on a verdict counts, for each judge, set from left-out projects.

Lives here: numbers, in one place; docs/judge.md has the figures that they were read from. Light.
"""

from typing import NamedTuple


class Thresholds(NamedTuple):
    """The least probability for each use of a verdict."""

    sure: float
    """A sentence lasts: it is kept as said by the user."""
    likely: float
    """A sentence lasts: it is kept under the preset `aggressive` only."""
    noted: float
    """A sentence may last: it counts when it is said again in another session or changes what is known."""
    repeated: float
    """Two statements of different sessions say the same: their probabilities of lasting together."""
    context: float
    """A sentence needs the agent's words before it."""


class Limits(NamedTuple):
    """The thresholds of one judge: a long turn holds more sentences that only look lasting than a short one."""

    long: Thresholds
    short: Thresholds


SHORT_SENTENCES, SHORT_CHARS = 2, 220
"""Sentences and characters of a short turn, at most."""

_FULL = Thresholds(sure=0.55, likely=0.45, noted=0.2, repeated=0.95, context=0.5)
_LIGHT = _FULL._replace(repeated=0.8)
_SHORT = {"sure": 0.45, "likely": 0.35, "noted": 0.15}
FULL = Limits(_FULL, _FULL._replace(**_SHORT))
LIGHT = Limits(_LIGHT, _LIGHT._replace(**_SHORT))


def thresholds_of(limits: Limits, sentences: int, characters: int) -> Thresholds:
    """Return the thresholds for a turn of this size."""
    return limits.short if sentences <= SHORT_SENTENCES and characters <= SHORT_CHARS else limits.long


NUDGE = 0.4
"""A prompt is worth the request to note it, by the light judge."""

FOREIGN = 2.5
"""What the full judge's log odds lose where a sentence is not English: there it is too sure."""
