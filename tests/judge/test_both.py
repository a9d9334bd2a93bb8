"""The full and the light judge together."""

from collections.abc import Sequence

import pytest

from holdfast.errors import ModelUnusable
from holdfast.judge import Relation, Sentence, Verdict
from holdfast.judge.both import BothJudge
from tests.judges import KeywordJudge, ScriptedJudge

TALK = [Sentence("We never deploy on a Friday."), Sentence("Thanks.")]
PAIRS = [("We never deploy on a Friday.", "We deploy on a Friday.")]


class FailingJudge(ScriptedJudge):
    """Opens and fails on every text, as a runtime does that has no memory left."""

    def lasts(self, sentences: Sequence[Sentence]) -> list[Verdict]:
        """Fail."""
        raise ModelUnusable(problem="the judge failed on a text")

    def relates(self, pairs: Sequence[tuple[str, str]]) -> list[Relation]:
        """Fail."""
        raise ModelUnusable(problem="the judge failed on a text")


def test_where_the_full_judge_fails_the_light_one_answers_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    traces: list[str] = []
    monkeypatch.setattr("holdfast.machine.failures.leave_once", lambda step, *_: traces.append(step))
    light = KeywordJudge()
    both = BothJudge(FailingJudge(), light)
    assert (both.lasts(TALK), both.relates(PAIRS)) == (light.lasts(TALK), light.relates(PAIRS))
    assert traces == ["judge", "judge"]
