"""What a later turn does to earlier findings of its session: a person takes back what was said, or turns it down.

Pure: takes the findings known so far and returns those that change.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from holdfast.capture.sessions.findings.acts import Act
from holdfast.capture.sessions.findings.reading import topic
from holdfast.model.finding import DECISIVE, RECAP, RETRACTED, Finding

TAKEN_BACK = 2
"""Words that a person must share with what is taken back, where anything does."""


def taken_back(now: Act, before: Sequence[Act], known: Sequence[Finding]) -> Iterator[Finding]:
    """Yield what a person takes back, and what an agent had just called settled and a person turns down."""
    standing = [one for one in known if one.kind in DECISIVE and RETRACTED not in one.signals]
    gone: list[Finding] = []
    if now.takes_back:
        gone = _meant(now, standing)
    elif now.rejects and before and before[-1].by_agent and not before[-1].asks:
        gone = [one for one in standing if RECAP in one.signals and one.turn == before[-1].turn.id]
    yield from (replace(one, signals=(*one.signals, RETRACTED)) for one in gone)


def _meant(now: Act, standing: Sequence[Finding]) -> list[Finding]:
    """Return what a person means by "scrap that": what shares their words, else what was said last."""
    named = [finding for finding in standing if len(topic(finding.content) & now.topic) >= TAKEN_BACK]
    if named or not standing:
        return named
    last = standing[-1]
    words = topic(last.content)
    return [one for one in standing if one.turn == last.turn or len(topic(one.content) & words) >= TAKEN_BACK]
