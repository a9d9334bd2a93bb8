"""What a later turn does to earlier findings of its session: confirm, take back, say again more fully.

Pure: takes the findings known so far and returns those that change.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from holdfast.capture.findings.acts import Act
from holdfast.capture.findings.decisions import LABELLED
from holdfast.capture.findings.reading import topic
from holdfast.model.finding import CONFIRMED_BY_USER, DECIDED, RECAP, RECAPPED, RETRACTED, Finding

CONFIRMED_GAIN = 0.1
SAID_AGAIN = 0.6
"""Share of an earlier finding's words that a recap must hold to speak for it."""

TOUCHED = 0.34
"""The same for what led up to a labelled recap, which closes the whole discussion."""

TAKEN_BACK = 2
"""Words that a person must share with what is taken back, where anything does."""

TAKES_UP = 3
TAKEN_UP = 0.5
"""In how many of its first sentences an agent takes a rule up, and how many of the words it must share."""

TAKEN_UP_IMPORTANCE = 0.7

DECISIVE = frozenset({"decision", "preference", "warning"})


def confirmed(now: Act, before: Sequence[Act], known: Sequence[Finding]) -> Iterator[Finding]:
    """Yield the recaps of the turn just before that a person confirms."""
    if now.confirms and before and before[-1].by_agent:
        for finding in known:
            if finding.turn == before[-1].turn.id and RECAP in finding.signals:
                importance = min(1.0, round(finding.importance + CONFIRMED_GAIN, 2))
                yield replace(with_signal(finding, CONFIRMED_BY_USER), importance=importance)


def taken_up(now: Act, before: Sequence[Act], known: Sequence[Finding]) -> Iterator[Finding]:
    """Yield the rules of a person's last turn that an agent takes up: recapped, if not at length."""
    if not (now.by_agent and before and before[-1].by_user):
        return
    said = [reading.topic for reading in now.readings[:TAKES_UP] if reading.firm and not reading.report]
    for finding in known:
        if finding.turn != before[-1].turn.id or finding.kind not in DECISIVE or RECAP in finding.signals:
            continue
        words = topic(finding.content)
        if any(len(words & one) >= max(TAKEN_BACK, TAKEN_UP * min(len(words), len(one))) for one in said):
            yield replace(with_signal(finding, RECAP), importance=max(finding.importance, TAKEN_UP_IMPORTANCE))


def taken_back(now: Act, before: Sequence[Act], known: Sequence[Finding]) -> Iterator[Finding]:
    """Yield the findings that a person takes back, or rejects as soon as they were stated."""
    standing = [one for one in known if one.kind in DECISIVE and RETRACTED not in one.signals]
    if now.takes_back:
        yield from (with_signal(finding, RETRACTED) for finding in _meant(now, standing))
    elif now.rejects and before and before[-1].by_agent and not before[-1].asks:
        turn = before[-1].turn.id
        yield from (
            with_signal(one, RETRACTED) for one in standing if one.turn == turn and DECIDED not in one.signals
        )


def _meant(now: Act, standing: Sequence[Finding]) -> list[Finding]:
    """Return what a person means by "scrap that": what shares their words, else what was settled last."""
    settled = [finding for finding in standing if finding.settled]
    named = [finding for finding in settled if len(topic(finding.content) & now.topic) >= TAKEN_BACK]
    return named or [
        finding for finding in settled[-1:] for finding in settled if finding.turn == settled[-1].turn
    ]


def spoken_for(recaps: Sequence[Finding], known: Sequence[Finding]) -> Iterator[Finding]:
    """Yield earlier findings that one of the new recaps says again; one that is labelled speaks for more."""
    if not recaps:
        return
    said = frozenset().union(*(topic(recap.content) for recap in recaps))
    turns = {recap.turn for recap in recaps}
    labelled = any(recap.importance >= LABELLED for recap in recaps)
    for finding in known:
        if finding.kind in DECISIVE and finding.turn not in turns and _says_again(said, finding, labelled):
            yield with_signal(finding, RECAPPED)


def _says_again(said: frozenset[str], finding: Finding, labelled: bool) -> bool:
    """Say whether a recap holds a finding; one that stands for itself must be there with its numbers."""
    words = topic(finding.content)
    if labelled and DECIDED not in finding.signals and finding.importance < LABELLED:
        return len(words & said) >= TOUCHED * len(words)
    numbers = {word for word in words if word[0].isdigit()}
    return len(words & said) >= SAID_AGAIN * len(words) and numbers <= said


def with_signal(finding: Finding, signal: str) -> Finding:
    """Return a finding with one more signal."""
    if signal in finding.signals:
        return finding
    return replace(finding, signals=(*finding.signals, signal))
