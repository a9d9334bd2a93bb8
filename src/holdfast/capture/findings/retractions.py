"""What a later turn does to earlier findings of its session: confirm, take back, say again more fully.

Pure: takes the findings known so far and returns those that change.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from holdfast.capture.findings import wording
from holdfast.capture.findings.acts import Act
from holdfast.capture.findings.decisions import LABELLED, PROPOSED, RESTATED
from holdfast.capture.findings.reading import Reading, topic
from holdfast.model.finding import CONFIRMED_BY_USER, DECIDED, DECISIVE, RECAP, RECAPPED, RETRACTED, Finding

CONFIRMED_GAIN = 0.1
SAID_AGAIN = 0.6
"""Share of an earlier finding's words that a recap must hold to speak for it."""

TOUCHED = 0.34
"""The same for what led up to a labelled recap, which closes the whole discussion."""

TAKEN_BACK = 2
"""Words that a person must share with what is taken back, where anything does."""

TAKES_UP = 3
ECHOED = 0.5
"""In how many of its first sentences an agent takes a rule up, and how many of the words it must share."""

CEREMONY = topic(
    "understood noted confirmed agreed clear settled decided final full updated amended revised recap decision"
    " policy rule"
)
"""Words that only say what a sentence is: a recap need not repeat them."""


def confirmed(now: Act, before: Sequence[Act], known: Sequence[Finding]) -> Iterator[Finding]:
    """Yield what the agent had just called agreed, or said again, and a person confirms."""
    if now.confirms and before and before[-1].by_agent:
        for finding in known:
            if finding.turn == before[-1].turn.id and (RECAP in finding.signals or finding.importance == PROPOSED):
                importance = min(1.0, round(finding.importance + CONFIRMED_GAIN, 2))
                yield replace(with_signal(finding, CONFIRMED_BY_USER), importance=importance)


def taken_up(now: Act, before: Sequence[Act], known: Sequence[Finding]) -> Iterator[Finding]:
    """Yield the rules of a person's last turn that an agent takes up: recapped, if not at length."""
    if not (now.by_agent and before and before[-1].by_user) or before[-1].wonders:
        return
    for finding in known:
        if finding.turn == before[-1].turn.id and finding.kind in DECISIVE and RECAP not in finding.signals:
            ruled = [one for one in before[-1].readings if one.standing and _inside(one, finding)]
            if any(_echoes(reading, ruled, finding, now, before[-1]) for reading in now.readings[:TAKES_UP]):
                yield replace(with_signal(finding, RECAP), importance=max(finding.importance, RESTATED))


def _inside(reading: Reading, finding: Finding) -> bool:
    place = finding.evidence[0]
    return place.start <= reading.sentence.start < place.end


def _echoes(reading: Reading, ruled: Sequence[Reading], finding: Finding, now: Act, answered: Act) -> bool:
    """Say whether an agent's sentence takes a rule up: as a statement, or, where it holds always, as a promise."""
    if not reading.firm or reading.report:
        return False
    if reading in now.stated:
        binding = bool(ruled) and (now.acknowledges or not all(map(answered.orders_work, ruled)))
    else:
        binding = any(wording.STANDING.search(rule.cue) for rule in ruled)
        binding = binding and wording.INTENDS.search(reading.cue) is not None
    words = topic(finding.content)
    shared = len(words & reading.topic)
    return binding and shared >= max(TAKEN_BACK, ECHOED * min(len(words), len(reading.topic)))


def taken_back(now: Act, before: Sequence[Act], known: Sequence[Finding]) -> Iterator[Finding]:
    """Yield what a person takes back, or rejects as soon as it was stated; and what that had spoken for."""
    standing = [one for one in known if one.kind in DECISIVE and RETRACTED not in one.signals]
    gone: list[Finding] = []
    if now.takes_back:
        gone = _meant(now, standing)
    elif now.rejects and before and before[-1].by_agent and not before[-1].asks:
        gone = [one for one in standing if one.turn == before[-1].turn.id and DECIDED not in one.signals]
    yield from (with_signal(finding, RETRACTED) for finding in gone)
    yield from _restored(gone, [one for one in standing if one not in gone])


def _restored(gone: Sequence[Finding], standing: Sequence[Finding]) -> Iterator[Finding]:
    """Yield what only recaps spoke for that are gone now: it stands for itself again."""
    fallen = [one for one in gone if RECAP in one.signals]
    if not fallen:
        return
    for finding in standing:
        if RECAPPED not in finding.signals or not any(_speaks_for(one, finding) for one in fallen):
            continue
        later = [one for one in standing if RECAP in one.signals and one.created_at > finding.created_at]
        if not any(_speaks_for(one, finding) for one in later):
            yield replace(finding, signals=tuple(one for one in finding.signals if one != RECAPPED))


def _meant(now: Act, standing: Sequence[Finding]) -> list[Finding]:
    """Return what a person means by "scrap that": what shares their words, else what was said last."""
    named = [finding for finding in standing if len(topic(finding.content) & now.topic) >= TAKEN_BACK]
    if named or not standing:
        return named
    last = standing[-1]
    words = topic(last.content)
    return [one for one in standing if one.turn == last.turn or len(topic(one.content) & words) >= TAKEN_BACK]


def spoken_for(recaps: Sequence[Finding], known: Sequence[Finding], answered: str | None) -> Iterator[Finding]:
    """Yield earlier findings that one of the new recaps says again; `answered` is the turn that they answer."""
    if not recaps:
        return
    said = frozenset().union(*(topic(recap.content) for recap in recaps))
    turns = {recap.turn for recap in recaps}
    labelled = any(recap.importance >= LABELLED for recap in recaps)
    for finding in known:
        if finding.kind not in DECISIVE or finding.turn in turns:
            continue
        if _says_again(said, finding, labelled=labelled, echo=finding.turn == answered):
            yield with_signal(finding, RECAPPED)


def _speaks_for(recap: Finding, finding: Finding) -> bool:
    return _says_again(topic(recap.content), finding, labelled=recap.importance >= LABELLED, echo=True)


def _says_again(said: frozenset[str], finding: Finding, *, labelled: bool, echo: bool) -> bool:
    """Say whether a recap holds a finding.

    What is settled already must be there with every word, lest a rule about something else speak for it; what the
    recap answers must be there with its numbers.
    """
    words = topic(finding.content) - CEREMONY
    if labelled and not finding.settled:
        return len(words & said) >= TOUCHED * len(words)
    if not echo:
        return words <= said
    numbers = {word for word in words if word[0].isdigit()}
    return len(words & said) >= SAID_AGAIN * len(words) and numbers <= said


def with_signal(finding: Finding, signal: str) -> Finding:
    """Return a finding with one more signal."""
    if signal in finding.signals:
        return finding
    return replace(finding, signals=(*finding.signals, signal))
