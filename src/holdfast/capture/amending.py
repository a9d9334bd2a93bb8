"""A new word on what is known: a statement that changes a memory is as lasting as what it changes.

"Raise the gate to 85" alone is an order; where the gate was laid down before, it is the rule that holds now.
Looked for by whole statements and by their clauses: "I talked to ops, friday is ok from now on" is about Fridays.
"""

import re
from collections.abc import Sequence

from holdfast.capture.compare.revision import detect_revision
from holdfast.capture.compare.signs import announces
from holdfast.capture.compare.statement import Statement, state
from holdfast.model.finding import ACCEPTED, DECISIVE, RECAP, RETRACTED, Finding
from holdfast.model.kinds import PINNED, PROMOTED, USER
from holdfast.model.memory import Memory
from holdfast.ports import Store

RIVALS = 6
"""Memories that a statement or a clause is compared with."""

MOST_CLAUSES = 8

_CLAUSE = re.compile(r"[,;:.!?](?=\s|$)|\s[-–—]\s")
_NOT_SAID = {ACCEPTED, RECAP, RETRACTED}


def amended_by(store: Store, project: str, page: Sequence[Finding], now: int) -> dict[str, str]:
    """Return which memory of what a person said or took over each finding takes the place of, where it does."""
    asked = [(finding, text) for finding in page if _may_amend(finding) for text in _readings(finding.content)]
    near = store.memories.akin(project, [text for _, text in asked], now, RIVALS) if asked else []
    found: dict[str, str] = {}
    for (finding, text), rivals in zip(asked, near, strict=True):
        if finding.id not in found:
            amended = next((rival for rival in rivals if _amends(finding, text, rival)), None)
            found |= {finding.id: amended.id} if amended else {}
    return found


def _may_amend(finding: Finding) -> bool:
    if finding.content.rstrip().endswith("?"):
        return False  # who only asks changes nothing
    return finding.kind in DECISIVE and not _NOT_SAID & set(finding.signals) and announces(finding.content)


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
    said, known = state(text, finding.kind, firm=True), _stated(rival)
    revision = None if _says_the_same(said, known) else detect_revision(said, known)
    return revision is not None and revision.whole


def _says_the_same(said: Statement, known: Statement) -> bool:
    """Whether a rule is only said again, with the same words and numbers."""
    return said.topic == known.topic and _numbers(said) == _numbers(known)


def _numbers(statement: Statement) -> list[str]:
    return sorted(number for sentence in statement.sentences for number in sentence.numbers)


def _stated(memory: Memory) -> Statement:
    return state(memory.content, memory.kind, memory.files, firm=memory.kind_confidence is None)
