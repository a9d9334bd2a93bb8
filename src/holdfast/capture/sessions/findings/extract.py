"""Read the turns of a session, one after the other, and say what they add to its findings.

`extract` is a fold: what a turn adds depends on the few turns before it and on the findings known by then, both of
which are stored. So it makes no difference where a checkpoint stopped: going on from there gives the same findings
as reading everything at once.
"""

import hashlib
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from holdfast.capture.sessions.findings.acts import Act, conversation
from holdfast.capture.sessions.findings.decisions import turn_proposals
from holdfast.capture.sessions.findings.passages import Passage
from holdfast.capture.sessions.findings.proposals import FindingDraft
from holdfast.capture.sessions.findings.retractions import taken_back
from holdfast.capture.sessions.findings.troubles import reported_error, resolved_errors
from holdfast.capture.sessions.findings.work import changed_files, progress
from holdfast.capture.text.fingerprint import fingerprint
from holdfast.model.finding import ERROR_RESOLUTION, SIGNALS, Evidence, Finding
from holdfast.model.ids import id_from
from holdfast.model.limits import FINDING_CHARS
from holdfast.model.session import Turn

CONTEXT = 64
"""How many turns back, tool calls included, a turn is understood from."""

KNOWN_FINDINGS = 40
"""How many findings back one can be taken back or resolved."""


@dataclass(frozen=True, slots=True)
class Extraction:
    """What turns added: new findings in order, and earlier ones as they are now."""

    new: tuple[Finding, ...]
    changed: tuple[Finding, ...]


def extract(
    turns: Iterable[Turn], before: Sequence[Turn] = (), known_findings: Sequence[Finding] = ()
) -> Extraction:
    """Read turns in the light of the 64 before them and of the session's 40 latest findings."""
    window = deque((Act(turn) for turn in before), maxlen=CONTEXT)
    ledger = _Ledger(known_findings)
    for turn in turns:
        now, talk = Act(turn), conversation(window)
        ledger.change(taken_back(now, talk, ledger.latest))
        latest = ledger.latest
        ledger.add(finding for finding in _additions(now, talk, latest) if finding.id not in ledger.all)
        window.append(now)
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
    def added(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.all.values() if finding.id in self._added_ids)

    @property
    def changed(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.all.values() if finding.id in self._changed_ids - self._added_ids)

    def add(self, findings: Iterable[Finding]) -> None:
        for finding in findings:
            self.all[finding.id] = finding
            self._added_ids.add(finding.id)

    def change(self, findings: Iterable[Finding]) -> None:
        for finding in list(findings):
            self.all[finding.id] = finding
            self._changed_ids.add(finding.id)


def _additions(now: Act, before: Sequence[Act], known_findings: Sequence[Finding]) -> Iterator[Finding]:
    session = now.turn.session
    yield from (_finding(proposal, session) for proposal in turn_proposals(now, before))
    yield from _troubles(now, known_findings)
    yield from _work(now, known_findings)


def _troubles(now: Act, known_findings: Sequence[Finding]) -> Iterator[Finding]:
    for error, passage, importance in resolved_errors(now, known_findings):
        text = f"{error.content} → {passage.text}"[:FINDING_CHARS]
        if not any(
            ERROR_RESOLUTION in finding.signals and finding.evidence[-1] == error.evidence[0]
            for finding in known_findings
        ):
            yield _make_finding(
                now,
                "bugfix",
                text,
                passage,
                importance=importance,
                signals={ERROR_RESOLUTION},
                more=error.evidence,
            )
    if (passage_of := reported_error(now)) is not None and not any(
        finding.content == passage_of.text for finding in known_findings
    ):
        yield _make_finding(now, "error", passage_of.text, passage_of, importance=0.4)


def _work(now: Act, known_findings: Sequence[Finding]) -> Iterator[Finding]:
    if files := changed_files(now, known_findings):
        text = f"Changed {', '.join(files)}"[:FINDING_CHARS]
        whole = Passage(text, 0, len(now.turn.text))
        yield _make_finding(now, "file_change", text, whole, importance=0.3, files=files)
    for passage in progress(now):
        yield _make_finding(now, "task_progress", passage.text, passage, importance=0.35)


def _finding(proposal: FindingDraft, session: str) -> Finding:
    """Make a finding; a fork may confirm what was said before it began."""
    return _make_finding(
        proposal.act,
        proposal.kind,
        proposal.passage.text,
        proposal.passage,
        importance=proposal.importance,
        confidence=proposal.confidence,
        signals=proposal.signals,
        files=proposal.act.turn.files,
        more=proposal.more,
        session=session,
    )


def _make_finding(
    now: Act,
    kind: str,
    content: str,
    passage: Passage,
    *,
    importance: float,
    confidence: float = 0.6,
    signals: Iterable[str] = (),
    files: tuple[str, ...] = (),
    more: tuple[Evidence, ...] = (),
    session: str | None = None,
) -> Finding:
    turn = now.turn
    session = session or turn.session
    key = f"{session} {turn.id} {passage.start} {passage.end} {kind}"
    return Finding(
        id=id_from(turn.at, hashlib.sha256(key.encode()).digest()),
        session=session,
        kind=kind,
        content=content,
        fingerprint=fingerprint(content),
        evidence=(Evidence(turn=turn.id, start=passage.start, end=passage.end), *more),
        importance=importance,
        confidence=confidence,
        signals=tuple(sorted(signals, key=SIGNALS.index)),
        files=files,
        created_at=turn.at,
    )
