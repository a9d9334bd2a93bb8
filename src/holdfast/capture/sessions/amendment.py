"""A new word on what is known: a statement that changes a memory is as lasting as what it changes.

"Raise the gate to 85" alone is an order; where the gate was laid down before, it is the rule that holds now.
Looked for by whole statements and by their clauses: "I talked to ops, friday is ok from now on" is about Fridays.

Complaints and orders of work have the same words and change nothing ("the page now shows 0 results, fix it"):
something did change, against its speaker's will. Told by their shape: who complains asks for a repair, asks why,
or says that something is broken. What is doubtful takes no rule away that a person wrote down: the two are told
together.
"""

import re
from collections.abc import Sequence

from msgspec import Struct

from holdfast.capture.compare.amendments import announces
from holdfast.capture.compare.revision import detect_revision
from holdfast.capture.compare.statement import Statement, state
from holdfast.capture.precedence import is_by_hand
from holdfast.capture.sessions.findings import wording
from holdfast.capture.sessions.findings.lasting import revises
from holdfast.capture.sessions.findings.reading import SentenceReading, read_sentences
from holdfast.model.finding import ACCEPTED, AMENDMENT, ASKED, DECISIVE, HYPOTHESIS, RECAP, RETRACTED, Finding
from holdfast.model.kinds import PINNED, PROMOTED, USER
from holdfast.model.memory import Memory
from holdfast.model.patterns import regex
from holdfast.ports import Store

RIVALS = 6
"""Memories that a statement or a clause is compared with."""

MOST_CLAUSES = 8

_CLAUSE = re.compile(r"[,;:.!?](?=\s|$)|\s[-–—]\s")
_NOT_SAID = {ACCEPTED, RECAP, RETRACTED}

_REPAIR = wording.within(
    r"(?:fix|repair|debug|investigate|revert|undo|restore|look into|check|correct|sort out)"
    r" (?:it|this|that|these|those|them|the|my|our|all)(?! (?:\w+ )?(?:at|to)(?![\w-]))"
    r"|(?:please|pls|can you|could you|must be|to be|needs? to be|should be) (?:fix(?:ed)?|repair(?:ed)?)"
    r"|(?:needs?|wants?) (?:a fix|fixing|repair)|fix (?:please|pls|asap)"
)
"""An order to put something right; "fix the gate at 85" sets a value."""

_BARE_REPAIR = regex(r"(?:^|[,;.:!–—-] ?|and |please |pls )(?:fix|repair|debug|investigate|revert|undo)\W*$")
_ASKS_WHY = wording.within(r"why|how come|what happened|what's wrong|what is wrong|since when|any idea|no idea")
_ASTRAY = wording.within(
    r"garbage|gibberish|nonsense|garbled|corrupt(?:ed)?|empty|blank|missing|gone wrong|by mistake|all of a sudden"
    r"|suddenly|again and again|weird\w*|strange\w*|wrong(?:ly)?|incorrect(?:ly)?|unreadable|stuck|slow(?:er)?"
)
"""What nobody wants to have; a word of the sort is a complaint only where nothing is laid down."""


class Amendment(Struct, frozen=True):
    """What a finding does to a memory that it changes: it takes its place, or only disputes it."""

    replaces: str | None = None
    disputes: str | None = None


def amended_by(store: Store, project: str, page: Sequence[Finding], now: int) -> dict[str, Amendment]:
    """Return what each finding changes of what a person said or took over, where it does."""
    changing = _changing(store, page)
    finding_texts = [(finding, text) for finding in changing for text in _readings(finding.content)]
    rivals_of_each = (
        store.memories.akin(project, [text for _, text in finding_texts], now, RIVALS) if finding_texts else []
    )
    amendments: dict[str, Amendment] = {}
    for (finding, text), rivals in zip(finding_texts, rivals_of_each, strict=True):
        if finding.id not in amendments:
            amended_memory = next((rival for rival in rivals if _amends(finding, text, rival)), None)
            amendments |= {finding.id: _amendment(finding, amended_memory)} if amended_memory else {}
    return amendments


def _amendment(finding: Finding, amended_memory: Memory) -> Amendment:
    """Let a doubtful word stand beside a rule that a person wrote down, and take the place of any other."""
    if is_by_hand(amended_memory) and not _is_sure(finding):
        return Amendment(disputes=amended_memory.id)
    return Amendment(replaces=amended_memory.id)


def _is_sure(finding: Finding) -> bool:
    return bool({ASKED, AMENDMENT} & set(finding.signals))


def _changing(store: Store, page: Sequence[Finding]) -> list[Finding]:
    """Return the findings that lay down a change."""
    announcing = [finding for finding in page if _announces(finding)]
    turns = {turn.id: turn.text for turn in store.turns.get([finding.turn for finding in announcing])}
    return [
        finding
        for finding in announcing
        if not complains(finding.content, turns.get(finding.turn, "")[finding.evidence[0].end :])
    ]


def _announces(finding: Finding) -> bool:
    """Say whether a finding announces a change; what is only noted must say so in plain words."""
    if finding.content.rstrip().endswith("?"):
        return False  # who only asks changes nothing
    if finding.kind not in DECISIVE or _NOT_SAID & set(finding.signals) or not announces(finding.content):
        return False
    return HYPOTHESIS not in finding.signals or AMENDMENT in finding.signals or states_change(finding.content)


def _readings(text: str) -> list[str]:
    """Return a statement, and its clauses that announce a change."""
    clauses = [clause.strip() for clause in _CLAUSE.split(text)]
    return [
        text,
        *(clause for clause in clauses[:MOST_CLAUSES] if clause != text and clause and announces(clause)),
    ]


def _amends(finding: Finding, text: str, rival: Memory) -> bool:
    by_a_person = rival.trust == USER or PROMOTED in rival.sources
    if not by_a_person or rival.status == PINNED or rival.session == finding.session:
        return False
    if rival.valid_from > finding.created_at:
        return False
    new_statement, known_statement = state(text, finding.kind, firm=True), _statement_of(rival)
    revision = (
        None if _says_the_same(new_statement, known_statement) else detect_revision(new_statement, known_statement)
    )
    return revision is not None and revision.whole


def _says_the_same(new_statement: Statement, known_statement: Statement) -> bool:
    """Whether a rule is only said again, with the same words and numbers."""
    return new_statement.topic == known_statement.topic and _numbers(new_statement) == _numbers(known_statement)


def _numbers(statement: Statement) -> list[str]:
    return sorted(number for sentence in statement.sentences for number in sentence.numbers)


def _statement_of(memory: Memory) -> Statement:
    return state(memory.content, memory.kind, memory.files, firm=memory.kind_confidence is None)


def complains(text: str, following: str = "") -> bool:
    """Say whether a statement, or what its speaker says right after it, tells that something went wrong."""
    readings = read_sentences(text)
    return any(map(_demands_repair, (*readings, *read_sentences(following)[:1]))) or _reports(readings)


def _demands_repair(reading: SentenceReading) -> bool:
    return any(form.search(reading.cue) for form in (_REPAIR, _BARE_REPAIR, _ASKS_WHY))


def _reports(readings: Sequence[SentenceReading]) -> bool:
    """Say whether sentences report trouble and neither decide nor order anything."""
    lays_down = any(reading.decides or reading.imperative or reading.strong for reading in readings)
    trouble = any(form.search(reading.cue) for form in (wording.ERRORS, _ASTRAY) for reading in readings)
    return trouble and not lays_down


def states_change(text: str) -> bool:
    """Say whether a statement gives something another value, or gives it up, in so many words."""
    return any(revises(reading.cue) for reading in read_sentences(text))
