"""Find what was decided: recaps, restatements, a person's own rules, and what a person confirmed.

Each function looks at the turn that came last, in the light of those before it, and yields proposals for findings.
Which of them are new, and what a later turn takes back, is the business of `extract` and `retractions`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from holdfast.capture.classify import classify
from holdfast.capture.compare.amendments import CUES
from holdfast.capture.compare.topic import tokens
from holdfast.capture.findings import wording
from holdfast.capture.findings.acts import Act
from holdfast.capture.findings.passages import Passage, passages, runs
from holdfast.capture.findings.reading import Reading
from holdfast.capture.findings.restatements import grounded, laid_down, restated
from holdfast.model.finding import AMENDMENT, CONFIRMED_BY_USER, CORRECTION, DECIDED, HYPOTHESIS, RECAP, Finding

MOST_CONFIRMED = 3
"""Passages of one turn that a person's assent can settle; in a long one assent means the core of it."""

LABELLED = 0.8
"""How important a recap is that says it is one; it stands for the whole discussion before it."""

RESTATED = RULED = 0.7
"""How important a restatement, a correction or a person's own decision is: enough to count as high."""

PROPOSED = 0.65
"""How important it is what an agent alone calls agreed: a person has yet to say so."""

LAID_DOWN, WARNED, ADOPTED, SUPPOSED = 0.6, 0.55, 0.5, 0.3
UNSURE = 0.5
"""The least confidence of a finding: what its words say about its kind can only add to it."""

_REVISING = tuple(cue for cue in CUES if cue.name in ("amendment", "update", "change of mind", "from now on"))


@dataclass(frozen=True, slots=True)
class Proposal:
    """A finding to be: what it says, where, and what speaks for it."""

    kind: str
    passage: Passage
    act: Act
    importance: float
    confidence: float
    signals: frozenset[str] = field(default_factory=frozenset)


def decided(now: Act, before: Sequence[Act], known: Sequence[Finding]) -> Iterator[Proposal]:
    """Yield what a turn decides, restates or confirms and no finding holds yet."""
    if now.by_tool or not now.turn.text.strip():
        return
    recap = _recapped(now)
    if now.by_agent:
        yield from _said_by_agent(now, before, recap)
    else:
        yield from _propose(now, recap, {RECAP}, importance=LABELLED)
    if now.by_user:
        yield from _rules(now, before, recap)
        confirmed = list(_confirmed(now, before, known)) if now.confirms else []
        yield from confirmed
        if now.rejects or now.opens_in_agreement:
            yield from _supposed(before, known, [proposal.passage for proposal in confirmed])


def _said_by_agent(now: Act, before: Sequence[Act], recap: Sequence[bool]) -> Iterator[Proposal]:
    """Yield what an agent calls agreed or says again: a recap where it goes back to a person, else a proposal."""
    based = any(said and grounded(reading, before) for said, reading in zip(recap, now.readings, strict=True))
    again = [not said and says for said, says in zip(recap, restated(now, before), strict=True)]
    yield from _propose(now, recap, {RECAP} if based else set(), importance=LABELLED if based else PROPOSED)
    yield from _propose(now, again, {RECAP}, importance=RESTATED)
    if not any(recap) and not any(again):
        yield from _adopted(now, before)


def _adopted(now: Act, before: Sequence[Act]) -> Iterator[Proposal]:
    """Yield the first sentence in which an agent says how things are to be, after a person laid something down."""
    law = laid_down(before)
    for reading in now.stated:
        if law and reading.norm and reading.topic & law:
            yield from _passed(now, [reading], "decision", ADOPTED, set())
            return


def _recapped(now: Act) -> list[bool]:
    """Mark the sentences of a recap: from the label to the end of its paragraph or list, less the questions."""
    marked, block = [], -1
    for reading in now.readings:
        if reading.label and reading.firm and not (now.confirms and ":" not in reading.cue):
            block = reading.sentence.block
        inside = reading.sentence.block == block or (reading.label and bool(reading.sentence.head))
        marked.append(inside and reading.firm and (reading.label or not reading.doing))
    return marked


def _rules(now: Act, before: Sequence[Act], recap: Sequence[bool]) -> Iterator[Proposal]:
    """Yield what a person laid down in words of a rule."""
    for run in runs(now.readings, _wanted(now, recap)):
        signals = {CORRECTION} if now.rejects and before and before[-1].by_agent else set()
        kind, importance = _kind([reading.cue for reading in run])
        if not now.wonders and any(_final(reading, kind) for reading in run):
            signals.add(DECIDED)
        yield from _passed(now, run, kind, RULED if signals else importance, signals)


def _wanted(now: Act, recap: Sequence[bool]) -> list[bool]:
    """Mark the sentences that hold a rule, and those that a sentence closes which says nothing by itself."""
    wanted = [not said and _lays_down(reading, now) for said, reading in zip(recap, now.readings, strict=True)]
    for place, reading in enumerate(now.readings):
        closes = wording.CLOSES.search(reading.cue) is not None and reading.firm
        if closes or (wanted[place] and reading.decides and wording.POINTS_BACK.search(reading.cue)):
            meant = [one for one in _meant(now.readings[:place]) if not recap[one]]
            for one in meant:
                wanted[one] = True
            wanted[place] = bool(meant) or (wanted[place] and not closes)
    return wanted


def _meant(before: Sequence[Reading]) -> list[int]:
    """Return what a sentence means that points back: the last one, and the one before if it says what is to be."""
    last = len(before) - 1
    places = [last] if before and before[-1].firm and before[-1].topic else []
    if places and last and before[-2].norm and before[-2].sentence.block == before[-1].sentence.block:
        places.append(last - 1)
    return places


def _final(reading: Reading, kind: str) -> bool:
    """Say whether a person decides in so many words; of a preference, that it holds always or never."""
    closes = wording.CLOSES.search(reading.cue) is not None
    return closes or reading.decides or (kind == "preference" and reading.strong)


def _lays_down(reading: Reading, now: Act) -> bool:
    """Say whether a sentence holds a rule of its own, not only assent to one."""
    assents = now.confirms and (wording.CONFIRMS.search(reading.cue) or wording.SETTLES.search(reading.cue))
    return reading.rule and not assents and len(reading.topic) >= 2


def _kind(cues: Sequence[str]) -> tuple[str, float]:
    if any(wording.PREFERS.search(cue) for cue in cues):
        return "preference", LAID_DOWN
    if any(wording.WARNS.search(cue) for cue in cues):
        return "warning", WARNED
    return "decision", LAID_DOWN


def _confirmed(now: Act, before: Sequence[Act], known: Sequence[Finding]) -> Iterator[Proposal]:
    """Yield what the agent had said in words of a rule, and a person has just confirmed."""
    agent = before[-1] if before and before[-1].by_agent else None
    heard = [act for act in before if act.by_user][-1:]
    if agent is None or ((now.understands or not now.closes) and (not heard or heard[0].inquires)):
        return
    law = laid_down(before[:-1])
    stated = {
        reading.sentence.start
        for reading in agent.stated
        if (reading.norm if now.closes else reading.rule and _shares(reading, law))
    }
    fresh = [one.sentence.start in stated and not _held(agent, one, known) for one in agent.readings]
    proposals = list(_propose(agent, fresh, {CONFIRMED_BY_USER}, importance=RESTATED))
    strongest = sorted(proposals, key=lambda one: -_binding(one.passage, agent))[:MOST_CONFIRMED]
    yield from (proposal for proposal in proposals if proposal in strongest)


def _shares(reading: Reading, law: frozenset[str]) -> bool:
    """Say whether a sentence is about what a person laid down: two of its words, or one where it names a value."""
    return len(reading.topic & law) >= (1 if reading.value else 2)


def _supposed(before: Sequence[Act], known: Sequence[Finding], confirmed: Sequence[Passage]) -> Iterator[Proposal]:
    """Yield what the agent had only supposed when a person turned it down or let it pass unconfirmed."""
    agent = before[-1] if before and before[-1].by_agent and not before[-1].asks else None
    if agent is None:
        return
    supposed = [
        one
        for one in agent.readings
        if _supposes(one)
        and not _held(agent, one, known)
        and not any(_within(one, passage) for passage in confirmed)
    ]
    for passage in passages(agent.turn.text, supposed[:1]):
        yield Proposal("discovery", passage, agent, SUPPOSED, UNSURE, frozenset({HYPOTHESIS}))


def _supposes(reading: Reading) -> bool:
    thought = reading.hypothesis or wording.INTENDS.search(reading.cue) is not None
    return thought and not reading.question and not reading.courtesy and len(reading.topic) >= 3


def _held(act: Act, reading: Reading, known: Sequence[Finding]) -> bool:
    """Say whether a finding holds this sentence already."""
    place = reading.sentence
    spans = (one for finding in known for one in finding.evidence[:1] if one.turn == act.turn.id)
    return any(one.start < place.end and place.start < one.end for one in spans)


def _within(reading: Reading, passage: Passage) -> bool:
    return passage.start < reading.sentence.end and reading.sentence.start < passage.end


def _binding(passage: Passage, act: Act) -> int:
    """Count the words of a rule in a passage: sentences that bind, and twice those that bind a value."""
    inside = [one for one in act.readings if passage.start <= one.sentence.start < passage.end and one.rule]
    return len(inside) + sum(reading.value for reading in inside)


def _propose(act: Act, wanted: Sequence[bool], signals: set[str], importance: float) -> Iterator[Proposal]:
    for run in runs(act.readings, wanted):
        yield from _passed(act, run, "decision", importance, signals)


def _passed(
    act: Act, run: Sequence[Reading], kind: str, importance: float, signals: set[str]
) -> Iterator[Proposal]:
    if any(_revises(reading) for reading in run):
        signals = signals | {AMENDMENT}
    for passage in passages(act.turn.text, run):
        confidence = max(UNSURE, classify(passage.text)[1])
        yield Proposal(kind, passage, act, importance, confidence, frozenset(signals))


def _revises(reading: Reading) -> bool:
    words = " ".join(tokens(reading.sentence.text))
    return any(cue.pattern.search(words) for cue in _REVISING)
