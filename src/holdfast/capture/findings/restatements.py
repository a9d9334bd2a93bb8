"""Tell when an agent says again what a person has just laid down: the recap that nobody announced.

Reading one turn against those before it. That it becomes a finding, and which, is decided in `decisions`.
"""

from collections.abc import Sequence

from holdfast.capture.findings import wording
from holdfast.capture.findings.acts import Act
from holdfast.capture.findings.reading import Reading

SHARE = 0.5
SHARE_AFTER_ASSENT = 0.34
"""Share of a sentence's words that the person must have used before it counts as saying the same again."""

OPENING = 5
"""An agent restates at the start of its turn; further on it explains."""

SHORT_ANSWER = 4
"""Content words of an answer that is nothing but the value asked for."""

MEMORY = 3
"""How many of a person's turns back a restatement may reach."""


def restated(now: Act, before: Sequence[Act]) -> list[bool]:
    """Mark the sentences in which an agent says again what a person has just laid down."""
    law = laid_down(before)
    if not law:
        return [False] * len(now.readings)
    heard = frozenset().union(law, *(act.topic for act in before if act.by_user))
    enough = SHARE_AFTER_ASSENT if now.acknowledges else SHARE
    answer = _answer(before)
    opening = [
        _says_again(reading, law, heard, enough) or _holds(reading, answer) for reading in now.readings[:OPENING]
    ]
    return opening + [False] * (len(now.readings) - len(opening))


def laid_down(before: Sequence[Act]) -> frozenset[str]:
    """Return the words of what a person laid down last: rules, corrections, answers to an agent's question."""
    heard = [act for act in before if act.by_user][-MEMORY:]
    if not heard or (before[-1].by_agent and before[-1].asks):
        return frozenset()
    last = heard[-1]
    if not (last.directs or last.rejects or _answers(last, before)):
        return frozenset()
    words = [reading.topic for act in heard for reading in act.readings if reading.rule]
    words += [reading.topic for reading in last.readings if reading.firm]
    if _answers(last, before):
        words.append(before[before.index(last) - 1].readings[-1].topic)
    return frozenset().union(*words)


def _answer(before: Sequence[Act]) -> frozenset[str]:
    """Return the words of a short answer that names a value, where a person has just given one."""
    last = before[-1] if before else None
    if last is None or not last.by_user or len(last.topic) > SHORT_ANSWER or not _answers(last, before):
        return frozenset()
    return last.topic if any(reading.value for reading in last.readings) else frozenset()


def _holds(reading: Reading, answer: frozenset[str]) -> bool:
    """Say whether a sentence works a short answer into a statement."""
    shared = reading.topic & answer
    return bool(shared) and 2 * len(shared) >= len(answer) and reading.norm and reading.value


def _answers(act: Act, before: Sequence[Act]) -> bool:
    """Say whether a person's turn answers a question that an agent asked."""
    place = before.index(act)
    asked = place > 0 and before[place - 1].by_agent and before[place - 1].asks
    return asked and not any(reading.question or reading.hypothesis for reading in act.readings)


def _says_again(reading: Reading, law: frozenset[str], heard: frozenset[str], enough: float) -> bool:
    if not reading.firm or reading.report or wording.INTENDS.search(reading.cue):
        return False
    binds = (
        reading.rule or reading.value or wording.MILD.search(reading.cue) or wording.RESTATES.search(reading.cue)
    )
    shared, known = reading.topic & law, reading.topic & heard
    return bool(binds) and len(shared) >= 2 and len(known) >= enough * len(reading.topic)
