"""Read the turns of a session, one after the other: the findings that they add, extend and take back.

`learn` is a fold: the findings of a turn depend on the few turns before it and on the findings known by then, both
of which are stored. So it makes no difference where a checkpoint stopped.

The judge decides what lasts in a person's turn, sentence by sentence in its place; `asked.py` has the few forms by
which a person asks for memory in so many words. Neighbouring sentences that say one thing are one finding. A
repetition is further evidence of a finding, and a statement that replaces one takes it back. Must not live here:
which findings become memories (`promote`).
"""

from __future__ import annotations

import hashlib
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from holdfast.capture.classify import classify
from holdfast.capture.relations import says_again, takes_the_place
from holdfast.capture.sessions.accepted import Passage, proposal_of
from holdfast.capture.sessions.asked import (
    asks_for_memory,
    goes_on,
    lead_of,
    leans,
    may_ask,
    points_back,
    takes_back,
)
from holdfast.capture.sessions.talk import Remark, asks, by_person, last_reply, remarks_of
from holdfast.capture.sessions.work import work_findings
from holdfast.judge import Judge, Verdict
from holdfast.judge.thresholds import Thresholds, thresholds_of
from holdfast.model.finding import (
    ACCEPTED,
    ASKED,
    AT_ONCE,
    HYPOTHESIS,
    LIKELY,
    MUST,
    RETRACTED,
    RULING,
    SIGNALS,
    WORKING,
    Evidence,
    Finding,
)
from holdfast.model.ids import fingerprint, id_from
from holdfast.model.limits import FINDING_CHARS
from holdfast.model.patterns import regex
from holdfast.model.session import Turn
from holdfast.text.words import numbers, topic

CONTEXT_TURNS = 64
"""How many turns back, tool calls included, a turn is understood from."""

KNOWN_FINDINGS = 40
"""How many findings back one can be taken back, repeated or resolved."""

COMPARED = 8
"""Earlier findings of the session that a statement is compared with, the latest on its topic."""

KEPT_IMPORTANCE, LIKELY_IMPORTANCE, NOTED_IMPORTANCE = 0.7, 0.5, 0.3
MUST_IMPORTANCE = 0.8
"""Importance of a statement that surely lasts, likely lasts, is only noted, and of one that must not be missed."""


SURELY_TYPED = 800
"""Characters of a turn of which no part is taken for pasted."""

MAIL_LINES = 2
_MAIL_HEAD = regex(r"^(?:From|To|Cc|Date|Sent|Subject|Von|An|Betreff): ", re.MULTILINE)
"""Lines that begin a mail: what follows is somebody else's."""

COMPLETES = 0.6
"""What the judge's `replaces` must reach for a fragment to take in the statement before it: nothing is lost."""

EVEN = 0.5
"""Probability from which on a verdict is taken for true where nothing hinges on it."""


class Extraction(Struct, frozen=True):
    """What turns added: new findings in order, and earlier ones as they are now."""

    new: tuple[Finding, ...]
    changed: tuple[Finding, ...]


class Statement(Struct, frozen=True):
    """Neighbouring sentences of a turn that say one thing, with the verdict on the surest of them."""

    text: str
    start: int
    end: int
    verdict: Verdict
    asked: bool


def learn(
    turns: Iterable[Turn], before: Sequence[Turn], known_findings: Sequence[Finding], judge: Judge
) -> Extraction:
    """Read turns in the light of those before them and of the session's latest findings."""
    window = deque(before, maxlen=CONTEXT_TURNS)
    ledger = _Ledger(known_findings)
    for turn in turns:
        if by_person(turn):
            _TurnReader(turn, window, ledger, judge).read()
        ledger.add(work_findings(turn, ledger.latest))
        window.append(turn)
    return Extraction(new=ledger.added, changed=ledger.changed)


class _Ledger:
    """The findings of a session while its turns are read."""

    def __init__(self, known_findings: Sequence[Finding]) -> None:
        self.all = {finding.id: finding for finding in known_findings}
        self._added_ids: set[str] = set()
        self._changed_ids: set[str] = set()

    @property
    def latest(self) -> list[Finding]:
        return list(self.all.values())[-KNOWN_FINDINGS:]

    @property
    def standing(self) -> list[Finding]:
        """The latest statements that nobody took back."""
        return [finding for finding in self.latest if finding.kind in RULING and RETRACTED not in finding.signals]

    @property
    def added(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.all.values() if finding.id in self._added_ids)

    @property
    def changed(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.all.values() if finding.id in self._changed_ids - self._added_ids)

    def add(self, findings: Iterable[Finding]) -> None:
        for finding in findings:
            if finding.id not in self.all:
                self.all[finding.id] = finding
                self._added_ids.add(finding.id)

    def change(self, finding: Finding) -> None:
        self.all[finding.id] = finding
        self._changed_ids.add(finding.id)


class _TurnReader:
    """Reads one turn of a person."""

    def __init__(self, turn: Turn, before: Sequence[Turn], ledger: _Ledger, judge: Judge) -> None:
        self._turn = turn
        self._reply = reply = last_reply(before)
        self._previous = next((earlier.id for earlier in reversed(before) if by_person(earlier)), None)
        self._ledger = ledger
        self._judge = judge
        self._remarks = remarks_of(turn, reply)
        characters = sum(len(remark.text) for remark in self._remarks)
        self._limits = thresholds_of(judge.limits, len(self._remarks), characters)

    def read(self) -> None:
        """Add the turn's findings to the ledger, and mark the ones that it takes back."""
        remarks = self._remarks
        verdicts = self._judge.lasts([remark.placed for remark in remarks]) if remarks else []
        if any(takes_back(remark.text) for remark in remarks[:2]):
            self._take_back(frozenset().union(*(topic(remark.text) for remark in remarks)))
        for statement in statements_of(remarks, verdicts, self._limits, own=own_words(self._turn.text, remarks)):
            finding = self._finding(statement)
            if finding is not None and not self._is_known(finding):
                self._ledger.add([finding])

    def _take_back(self, words: frozenset[str]) -> None:
        """Mark the findings that "scrap that" means: those that share its words, else what was said just before.

        "Never mind, I found it" an hour after a rule takes back a question, not the rule.
        """
        standing = self._ledger.standing
        just_said = [finding for finding in standing[-1:] if finding.turn in (self._turn.id, self._previous)]
        for finding in [one for one in standing if len(topic(one.content) & words) >= 2] or just_said:
            self._retract(finding)

    def _retract(self, finding: Finding) -> None:
        self._ledger.change(replace(finding, signals=(*finding.signals, RETRACTED)))

    def _finding(self, statement: Statement) -> Finding | None:
        """Return the finding of a statement; a fragment takes in the words that it answers, or is dropped."""
        verdict = statement.verdict
        is_fragment = len(topic(statement.text)) < 2
        needs_context = points_back(statement.text) if statement.asked else verdict.context >= self._limits.context
        if is_fragment or needs_context:
            counts = statement.asked or verdict.lasts >= self._limits.likely
            proposal = proposal_of(self._reply, self._turn.text) if counts else None
            if proposal is not None and self._reply is not None:
                return self._answered(proposal, self._reply, verdict)
            if is_fragment and (counts or numbers(statement.text)):
                return self._completed(statement) or self._noted(statement)
            if is_fragment:
                return None
        return self._said(statement.text, statement)

    def _said(self, text: str, statement: Statement) -> Finding:
        verdict = statement.verdict
        return self._make(
            kind_of(text, verdict),
            text,
            (Evidence(turn=self._turn.id, start=statement.start, end=statement.end),),
            importance=_importance(statement, self._limits),
            confidence=round(max(verdict.lasts, 0.9 if statement.asked else 0.0), 3),
            signals=_signals(statement, self._limits),
        )

    def _noted(self, statement: Statement) -> Finding | None:
        """Note a fragment that names one thing: "you can use pip again" counts where a rule forbids just that."""
        if not topic(statement.text):
            return None
        return replace(self._said(statement.text, statement), signals=(HYPOTHESIS,), importance=NOTED_IMPORTANCE)

    def _answered(self, proposal: Passage, reply: Turn, verdict: Verdict) -> Finding:
        """Make a finding of an agent's proposal or question and the person's answer: both turns are evidence."""
        answer = " ".join(self._turn.text.split())
        return self._make(
            "decision",
            f"{proposal.text} (answered: {answer})",
            (
                Evidence(turn=reply.id, start=proposal.start, end=proposal.end),
                Evidence(turn=self._turn.id, start=0, end=len(self._turn.text)),
            ),
            importance=KEPT_IMPORTANCE,
            confidence=round(verdict.lasts, 3),
            signals=frozenset({ACCEPTED if proposal.accepted else LIKELY}),
        )

    def _completed(self, statement: Statement) -> Finding | None:
        """Let "no wait, 120" take in the statement of this session that it replaces; None where there is none."""
        standing = self._ledger.standing[-COMPARED:]
        relations = self._judge.relates([(finding.content, statement.text) for finding in standing])
        for finding, relation in reversed(list(zip(standing, relations, strict=True))):
            if relation.replaces >= COMPLETES:
                completed = self._said(f"{statement.text} (before: {finding.content})", statement)
                if completed.settled:
                    self._retract(finding)
                return completed
        return None

    def _is_known(self, finding: Finding) -> bool:
        """Compare with what the session said before: a repetition is evidence, a replacement takes back."""
        words = topic(finding.content)
        earlier = [
            earlier_finding
            for earlier_finding in self._ledger.standing
            if earlier_finding.turn != finding.turn and topic(earlier_finding.content) & words
        ][-COMPARED:]
        relations = self._judge.relates(
            [(earlier_finding.content, finding.content) for earlier_finding in earlier]
        )
        is_noted = HYPOTHESIS in finding.signals
        for earlier_finding, relation in zip(earlier, relations, strict=True):
            texts = (earlier_finding.content, finding.content)
            if takes_the_place(*texts, relation, noted=is_noted):
                self._retract(earlier_finding)
            elif says_again(*texts, relation) and ASKED not in finding.signals:
                self._ledger.change(_with_evidence(earlier_finding, finding))
                return True
        return False

    def _make(
        self,
        kind: str,
        text: str,
        evidence: tuple[Evidence, ...],
        *,
        importance: float,
        confidence: float,
        signals: frozenset[str],
    ) -> Finding:
        turn, place = self._turn, evidence[0]
        content = text if len(text) <= FINDING_CHARS else text[: FINDING_CHARS - 1].rstrip() + "…"
        key = f"{turn.session} {place.turn} {place.start} {place.end} {kind}"
        return Finding(
            id=id_from(turn.at, hashlib.sha256(key.encode()).digest()),
            session=turn.session,
            kind=kind,
            content=content,
            fingerprint=fingerprint(content),
            evidence=evidence,
            importance=importance,
            confidence=confidence,
            signals=tuple(sorted(signals, key=SIGNALS.index)),
            files=turn.files,
            created_at=turn.at,
        )


def _with_evidence(finding: Finding, repetition: Finding) -> Finding:
    """Return a finding that the same session says once more; the surer of the two decides how sure it is."""
    signals = finding.signals
    if HYPOTHESIS in signals and HYPOTHESIS not in repetition.signals:
        signals = repetition.signals
    return replace(
        finding,
        evidence=(*finding.evidence, *repetition.evidence),
        importance=max(finding.importance, repetition.importance),
        confidence=max(finding.confidence, repetition.confidence),
        signals=signals,
    )


def statements_of(
    remarks: Sequence[Remark], verdicts: Sequence[Verdict], limits: Thresholds, own: Sequence[bool]
) -> Iterator[Statement]:
    """Yield the sentences that may last, with the neighbours that they need.

    Asked for in so many words are only sentences of a person's `own`; less plain forms must probably last, too.
    """
    requests = [
        is_own and (asks_for_memory(remark.text) or (verdict.lasts >= limits.likely and may_ask(remark.text)))
        for remark, verdict, is_own in zip(remarks, verdicts, own, strict=True)
    ]
    run: list[int] = []
    last_end = -1
    for place, (remark, verdict) in enumerate(zip(remarks, verdicts, strict=True)):
        is_wanted = verdict.lasts >= limits.noted or requests[place] or _is_asked_before(remarks, requests, place)
        if run and not (is_wanted and place == run[-1] + 1 and _together(remarks[place - 1], remark)):
            yield _statement(run, remarks, verdicts, requests)
            last_end, run = run[-1], []
        if is_wanted:
            points_back = not run and place > last_end + 1 and _together(remarks[place - 1], remark)
            run.extend((place - 1, place) if points_back and not asks(remarks[place - 1].text) else (place,))
    if run:
        yield _statement(run, remarks, verdicts, requests)


def own_words(text: str, remarks: Sequence[Remark]) -> list[bool]:
    """Return which sentences of a turn are surely the person's: none behind a mail's head, of a long turn those of
    the first and last paragraph. What stands between may be pasted."""
    if len(_MAIL_HEAD.findall(text)) >= MAIL_LINES:
        return [False] * len(remarks)
    if len(text) <= SURELY_TYPED:
        return [True] * len(remarks)
    edges = {remarks[0].sentence.block, remarks[-1].sentence.block} if remarks else set()
    return [remark.sentence.block in edges for remark in remarks]


def _is_asked_before(remarks: Sequence[Remark], requests: Sequence[bool], place: int) -> bool:
    """Return whether the sentence before says no more than "remember this"."""
    before = remarks[place - 1] if place and requests[place - 1] else None
    same_block = before is not None and before.sentence.block == remarks[place].sentence.block
    return before is not None and same_block and asks_for_memory(before.text, alone=True)


def _together(first: Remark, second: Remark) -> bool:
    """Return whether a sentence goes on with the one before it in its paragraph."""
    if first.sentence.block != second.sentence.block:
        return False
    is_fragment = len(topic(second.text)) < 2 and leans(second.text)
    return goes_on(second.text) or is_fragment or asks_for_memory(first.text, alone=True)


def _statement(
    run: Sequence[int], remarks: Sequence[Remark], verdicts: Sequence[Verdict], requests: Sequence[bool]
) -> Statement:
    sentences = [remarks[place].sentence for place in run]
    text = " ".join(sentence.text for sentence in sentences)
    head = sentences[0].head if sentences[0].item and sentences[0].head.endswith(":") else ""
    return Statement(
        text=f"{head} {text}" if head else text[lead_of(text) :],
        start=sentences[0].start,
        end=sentences[-1].end,
        verdict=max((verdicts[place] for place in run), key=lambda verdict: verdict.lasts),
        asked=any(requests[place] for place in run),
    )


def kind_of(text: str, verdict: Verdict) -> str:
    """Return the kind of a statement that lasts: a rule's, as its words or the judge have it."""
    kind, _ = classify(text)
    if kind in RULING:
        return kind
    return "preference" if verdict.working >= EVEN else "decision"


def _importance(statement: Statement, limits: Thresholds) -> float:
    if statement.asked or statement.verdict.must >= EVEN:
        return MUST_IMPORTANCE
    if statement.verdict.lasts >= limits.sure:
        return KEPT_IMPORTANCE
    return LIKELY_IMPORTANCE if statement.verdict.lasts >= limits.likely else NOTED_IMPORTANCE


def _signals(statement: Statement, limits: Thresholds) -> frozenset[str]:
    verdict = statement.verdict
    likely = LIKELY if verdict.lasts >= limits.likely else HYPOTHESIS
    signals = {ASKED, AT_ONCE} if statement.asked else {likely}
    signals |= {WORKING} if verdict.working >= EVEN else set()
    return frozenset(signals | ({MUST} if verdict.must >= EVEN else set()))
