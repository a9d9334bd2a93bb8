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

BRIEF_ANSWER = 8
"""Content words of an answer that chooses; a longer one lays something down only in words of a rule."""

SHORT_ANSWER = 4
"""Content words of an answer that is nothing but the value asked for."""

MEMORY = 3
"""How many of a person's turns back a restatement may reach."""


def restated(now: Act, before: Sequence[Act]) -> list[bool]:
    """Mark the sentences in which an agent says again what a person has just laid down."""
    law = laid_down(before)
    if not law or (_ordered(before) and not now.acknowledges):
        return [False] * len(now.readings)
    heard = frozenset().union(law, *(act.topic for act in before if act.by_user))
    enough = SHARE_AFTER_ASSENT if now.acknowledges else SHARE
    answer = _answer(before)
    opening = now.stated[:OPENING]
    return [
        reading in opening and (_says_again(reading, law, heard, enough) or _holds(reading, answer))
        for reading in now.readings
    ]


def grounded(reading: Reading, before: Sequence[Act]) -> bool:
    """Say whether what an agent calls agreed goes back to what a person said, not only asked or ordered."""
    heard = [act for act in before if act.by_user]
    if not heard or heard[-1].wonders or heard[-1].puts_off:
        return False
    law = frozenset().union(*(one.topic for act in heard for one in act.readings if _tells(one)))
    if _answers(heard[-1], before) or heard[-1].rejects or heard[-1].opens_in_agreement:
        law |= heard[-1].topic
    shared = reading.topic & law
    return len(shared) >= 2 or any(word[0].isdigit() for word in shared)


def _tells(reading: Reading) -> bool:
    """Say whether a person says how things are to be: no order of work, nothing that is broken or over."""
    return reading.norm and not reading.task and not reading.passing and not wording.ERRORS.search(reading.cue)


def _ordered(before: Sequence[Act]) -> bool:
    """Say whether a person's last turn orders work and nothing else."""
    heard = [act for act in before if act.by_user]
    return heard[-1].orders and not _answers(heard[-1], before) and not heard[-1].rejects


def laid_down(before: Sequence[Act]) -> frozenset[str]:
    """Return the words of what a person laid down last: rules, corrections, answers to an agent's question."""
    heard = [act for act in before if act.by_user][-MEMORY:]
    if not heard or (before[-1].by_agent and before[-1].asks):
        return frozenset()
    last = heard[-1]
    if not (last.directs or last.rejects or _answers(last, before)):
        return frozenset()
    words = [reading.topic for act in heard for reading in act.readings if reading.standing]
    words += [reading.topic for reading in last.readings if reading.firm and not reading.passing]
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
    if not asked or any(reading.question or reading.hypothesis for reading in act.readings):
        return False
    return len(act.topic) <= BRIEF_ANSWER or any(one.standing or one.value for one in act.readings)


def _says_again(reading: Reading, law: frozenset[str], heard: frozenset[str], enough: float) -> bool:
    if not reading.firm or reading.report or reading.passing or reading.doing:
        return False
    binds = (
        reading.rule or reading.value or wording.MILD.search(reading.cue) or wording.RESTATES.search(reading.cue)
    )
    shared, known = reading.topic & law, reading.topic & heard
    return bool(binds) and len(shared) >= 2 and len(known) >= enough * len(reading.topic)
