"""A finding to be: what it says, where it was said, and what speaks for it; and those that an agent's recap makes.

An agent says in the end what was settled, and calls it so ("Final policy: …", "Settled: …"). Only where it goes
back to what a person laid down, and only sentences that say of themselves that they are one: a heading over a
list, or words like "rule" and "done", stand over agents' own work too.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from holdfast.capture.compare.amendments import CUES
from holdfast.capture.compare.topic import tokens
from holdfast.capture.sessions.findings import wording
from holdfast.capture.sessions.findings.acts import Act
from holdfast.capture.sessions.findings.reading import Passage, SentenceReading, passages, runs
from holdfast.model.finding import AMENDMENT, RECAP, Evidence

_REVISING = tuple(cue for cue in CUES if cue.name in ("amendment", "update", "change of mind", "from now on"))

IMPORTANT = 0.8
BRIEF_ANSWER = 8
"""Content words of an answer that chooses; a longer one lays something down only in words of a rule."""

BELIEF = 0.6
"""How sure it is that a recap holds what the person meant: these are an agent's words."""


@dataclass(frozen=True, slots=True)
class FindingDraft:
    """A finding to be: what it says, where, and what speaks for it."""

    kind: str
    passage: Passage
    act: Act
    importance: float
    confidence: float
    signals: frozenset[str] = field(default_factory=frozenset)
    more: tuple[Evidence, ...] = ()
    """Where else it was said: the answer that took a proposal over."""


def revises(readings: Iterable[SentenceReading]) -> bool:
    """Say whether sentences announce that they change what was said before."""
    words = [" ".join(tokens(reading.sentence.text)) for reading in readings]
    return any(cue.pattern.search(text) for cue in _REVISING for text in words)


def recap_proposals(now: Act, before: Sequence[Act]) -> Iterator[FindingDraft]:
    """Yield what an agent sums up as settled, where it goes back to a person."""
    recap_runs = labelled_runs(now)
    if not any(is_grounded(reading, before) for run in recap_runs for reading in run):
        return
    for run in recap_runs:
        signals = {RECAP, AMENDMENT} if revises(run) else {RECAP}
        for passage in passages(now.turn.text, run):
            yield FindingDraft("decision", passage, now, IMPORTANT, BELIEF, frozenset(signals))


def labelled_runs(act: Act) -> list[list[SentenceReading]]:
    """Return the sentences that say of themselves what was settled, each to the end of its paragraph."""
    recap_flags, block = [], -1
    for reading in act.readings:
        if reading.firm and wording.LABEL.match(reading.cue + " "):
            block = reading.sentence.block
        recap_flags.append(reading.sentence.block == block and reading.firm and not reading.doing)
    return list(runs(act.readings, recap_flags))


def is_grounded(reading: SentenceReading, before: Sequence[Act]) -> bool:
    """Say whether what an agent calls agreed goes back to what a person said, not only asked or ordered."""
    person_acts = [act for act in before if act.by_user]
    if not person_acts or person_acts[-1].wonders or person_acts[-1].puts_off:
        return False
    law = frozenset().union(
        *(sentence.topic for act in person_acts for sentence in act.readings if _tells(sentence))
    )
    if _answers(person_acts[-1], before) or person_acts[-1].rejects or person_acts[-1].opens_in_agreement:
        law |= person_acts[-1].topic
    shared_words = reading.topic & law
    return len(shared_words) >= 2 or any(word[0].isdigit() for word in shared_words)


def _tells(reading: SentenceReading) -> bool:
    """Say whether a person says how things are to be: no order of work, nothing that is broken or over."""
    return reading.norm and not reading.task and not reading.passing and not wording.ERRORS.search(reading.cue)


def _answers(act: Act, before: Sequence[Act]) -> bool:
    """Say whether a person's turn answers a question that an agent asked."""
    place = before.index(act)
    is_asked = place > 0 and before[place - 1].by_agent and before[place - 1].asks
    if not is_asked or any(reading.question or reading.hypothesis for reading in act.readings):
        return False
    return len(act.topic) <= BRIEF_ANSWER or any(reading.standing or reading.value for reading in act.readings)
