"""Judges whose verdicts are given by the test, so that only the use of a verdict is tested."""

import re
from collections.abc import Mapping, Sequence

from holdfast.judge import Relation, Sentence, Verdict
from holdfast.judge.thresholds import Limits, Thresholds
from holdfast.text.words import numbers, topic

BOUNDS = Thresholds(sure=0.55, likely=0.4, noted=0.25, repeated=0.8, context=0.5)
"""Bounds of these judges alone: those of the models move with every training."""
NOTHING = Verdict(lasts=0.02, must=0.01, working=0.5, context=0.02)


def lasting(lasts: float = 0.95, *, must: float = 0.3, working: float = 0.2, context: float = 0.02) -> Verdict:
    """Return the verdict on a sentence that lasts."""
    return Verdict(lasts, must, working, context)


class ScriptedJudge:
    """Knows sentences, and pairs of statements, by words that stand in them."""

    limits: Limits = Limits(BOUNDS, BOUNDS)

    def __init__(
        self,
        verdicts: Mapping[str, Verdict] | None = None,
        relations: Mapping[tuple[str, str], str] | None = None,
    ) -> None:
        self._verdicts = verdicts or {}
        self._relations = relations or {}

    def lasts(self, sentences: Sequence[Sentence]) -> list[Verdict]:
        """Return what is written down for each."""
        return [
            next((verdict for words, verdict in self._verdicts.items() if words in sentence.text), NOTHING)
            for sentence in sentences
        ]

    def relates(self, pairs: Sequence[tuple[str, str]]) -> list[Relation]:
        """Return what is written down for each, else that they have nothing to do with each other."""
        return [self._relate(older, newer) for older, newer in pairs]

    def _relate(self, older: str, newer: str) -> Relation:
        found = next(
            (name for (left, right), name in self._relations.items() if left in older and right in newer), "other"
        )
        return Relation(**{name: 0.91 if name == found else 0.03 for name in Relation._fields})


class KeywordJudge(ScriptedJudge):
    """Takes a sentence with a word of rules for lasting, and statements on one topic for the same or a change.

    For tests of what becomes of verdicts: they must not depend on how the models were trained last.
    """

    _RULE = re.compile(
        r"\b(?:settled|final|never|always|must|only|we use|prefer|policy|instead|no longer|do not|don't"
        r"|amended)\b",
        re.I,
    )
    _ANSWER = re.compile(r"^\W*(?:\d\b|yes, keep)", re.I)
    _ORDER = re.compile(r"^(?:use|make sure|raise)\b", re.I)
    _PASSING = re.compile(r"\?\s*$|\b(?:maybe|thanks|for now|this time)\b", re.I)
    _DENIES = re.compile(r"\b(?:never|not|no|don't|instead)\b", re.I)

    def lasts(self, sentences: Sequence[Sentence]) -> list[Verdict]:
        """Return a sure verdict for each sentence with a word of rules, a doubtful one for an order."""
        return [self._weigh(one.text) for one in sentences]

    def _weigh(self, text: str) -> Verdict:
        if self._PASSING.search(text):
            return NOTHING
        if self._ANSWER.search(text):
            return lasting(context=0.9)
        if self._RULE.search(text):
            return lasting()
        return lasting(0.42) if self._ORDER.search(text) else NOTHING

    def _relate(self, older: str, newer: str) -> Relation:
        shared, words = topic(older) & topic(newer), topic(older) | topic(newer)
        other_numbers = len(numbers(older) ^ numbers(newer))
        if len(shared) < 2:
            name = "other"
        elif other_numbers > 2:  # "module 5, crew 35" and "module 6, crew 42" are rows, neither changes the other
            name = "near"
        elif other_numbers or self._side(older) != self._side(newer):
            name = "replaces"
        else:
            name = "same" if len(shared) >= len(words) / 2 else "near"
        return Relation(**{field: 0.91 if field == name else 0.03 for field in Relation._fields})

    def _side(self, text: str) -> bool:
        return self._DENIES.search(text) is not None
