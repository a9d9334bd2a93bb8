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


def taken_back(now: Act, before: Sequence[Act], known_findings: Sequence[Finding]) -> Iterator[Finding]:
    """Yield what a person takes back, and what an agent had just called settled and a person turns down."""
    standing_findings = [
        finding for finding in known_findings if finding.kind in DECISIVE and RETRACTED not in finding.signals
    ]
    retracted_findings: list[Finding] = []
    if now.takes_back:
        retracted_findings = _meant_findings(now, standing_findings)
    elif now.rejects and before and before[-1].by_agent and not before[-1].asks:
        retracted_findings = [
            finding
            for finding in standing_findings
            if RECAP in finding.signals and finding.turn == before[-1].turn.id
        ]
    yield from (replace(finding, signals=(*finding.signals, RETRACTED)) for finding in retracted_findings)


def _meant_findings(now: Act, standing_findings: Sequence[Finding]) -> list[Finding]:
    """Return what a person means by "scrap that": what shares their words, else what was said last."""
    named_findings = [
        finding for finding in standing_findings if len(topic(finding.content) & now.topic) >= TAKEN_BACK
    ]
    if named_findings or not standing_findings:
        return named_findings
    last = standing_findings[-1]
    words = topic(last.content)
    return [
        finding
        for finding in standing_findings
        if finding.turn == last.turn or len(topic(finding.content) & words) >= TAKEN_BACK
    ]
