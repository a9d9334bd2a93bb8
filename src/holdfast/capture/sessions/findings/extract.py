"""Read the turns of a session, one after the other, and say what they add to its findings and take back.

`extract` is a fold: what a turn adds depends on the few turns before it and on the findings known by then, both of
which are stored. So it makes no difference where a checkpoint stopped: going on from there gives the same findings
as reading everything at once.
"""

import hashlib
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from holdfast.capture.sessions.findings import wording
from holdfast.capture.sessions.findings.acts import Act, conversation
from holdfast.capture.sessions.findings.decisions import FindingDraft, turn_proposals
from holdfast.capture.sessions.findings.reading import Passage, SentenceReading, passages, topic
from holdfast.model.finding import DECISIVE, ERROR_RESOLUTION, RECAP, RETRACTED, SIGNALS, Evidence, Finding
from holdfast.model.ids import fingerprint, id_from
from holdfast.model.limits import FINDING_CHARS
from holdfast.model.session import Turn
from holdfast.text.names import SYSTEM_ERRORS

CONTEXT = 64
"""How many turns back, tool calls included, a turn is understood from."""

KNOWN_FINDINGS = 40
"""How many findings back one can be taken back or resolved."""

TAKEN_BACK = 2
"""Words that a person must share with what is taken back, where anything does."""

ERROR_IMPORTANCE = 0.4
PROGRESS_IMPORTANCE = 0.35
CHANGE_IMPORTANCE = 0.3
"""Of what work shows: an error, how far a task has come, a changed file."""

WORK_BELIEF = 0.6
"""How sure it is that what work shows matters."""


class Extraction(Struct, frozen=True):
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
    for proposal in turn_proposals(now, before):  # a fork may confirm what was said before it began
        yield _make_finding(proposal, session, proposal.act.turn.files)
    yield from _troubles(now, known_findings)
    yield from _work(now, known_findings)


def _troubles(now: Act, known_findings: Sequence[Finding]) -> Iterator[Finding]:
    for error, passage, importance in resolved_errors(now, known_findings):
        text = f"{error.content} → {passage.text}"[:FINDING_CHARS]
        if not any(
            ERROR_RESOLUTION in finding.signals and finding.evidence[-1] == error.evidence[0]
            for finding in known_findings
        ):
            resolution = Passage(text, passage.start, passage.end)
            signals = frozenset({ERROR_RESOLUTION})
            draft = FindingDraft("bugfix", resolution, now, importance, WORK_BELIEF, signals, error.evidence)
            yield _make_finding(draft)
    if (passage_of := reported_error(now)) is not None and not any(
        finding.content == passage_of.text for finding in known_findings
    ):
        yield _make_finding(FindingDraft("error", passage_of, now, ERROR_IMPORTANCE, WORK_BELIEF))


def _work(now: Act, known_findings: Sequence[Finding]) -> Iterator[Finding]:
    if files := changed_files(now, known_findings):
        text = f"Changed {', '.join(files)}"[:FINDING_CHARS]
        whole = Passage(text, 0, len(now.turn.text))
        draft = FindingDraft("file_change", whole, now, CHANGE_IMPORTANCE, WORK_BELIEF)
        yield _make_finding(draft, files=files)
    for passage in progress(now):
        yield _make_finding(FindingDraft("task_progress", passage, now, PROGRESS_IMPORTANCE, WORK_BELIEF))


def _make_finding(draft: FindingDraft, session: str | None = None, files: tuple[str, ...] = ()) -> Finding:
    """Make a finding of its draft, in the session of its turn where no other is named."""
    turn, passage = draft.act.turn, draft.passage
    session = session or turn.session
    key = f"{session} {turn.id} {passage.start} {passage.end} {draft.kind}"
    return Finding(
        id=id_from(turn.at, hashlib.sha256(key.encode()).digest()),
        session=session,
        kind=draft.kind,
        content=passage.text,
        fingerprint=fingerprint(passage.text),
        evidence=(Evidence(turn=turn.id, start=passage.start, end=passage.end), *draft.more),
        importance=draft.importance,
        confidence=draft.confidence,
        signals=tuple(sorted(draft.signals, key=SIGNALS.index)),
        files=files,
        created_at=turn.at,
    )


def taken_back(now: Act, before: Sequence[Act], known_findings: Sequence[Finding]) -> Iterator[Finding]:
    """Yield what a person takes back, and what an agent had just called settled and a person turns down."""
    standing_findings = [
        finding for finding in known_findings if finding.kind in DECISIVE and RETRACTED not in finding.signals
    ]
    retracted_findings: list[Finding] = []
    if now.takes_back:
        retracted_findings = _meant_findings(now, standing_findings)
    elif now.rejects and before and before[-1].by_agent and not before[-1].asks:
        retracted_findings = [
            finding
            for finding in standing_findings
            if RECAP in finding.signals and finding.turn == before[-1].turn.id
        ]
    yield from (replace(finding, signals=(*finding.signals, RETRACTED)) for finding in retracted_findings)


def _meant_findings(now: Act, standing_findings: Sequence[Finding]) -> list[Finding]:
    """Return what a person means by "scrap that": what shares their words, else what was said last."""
    named_findings = [
        finding for finding in standing_findings if len(topic(finding.content) & now.topic) >= TAKEN_BACK
    ]
    if named_findings or not standing_findings:
        return named_findings
    last = standing_findings[-1]
    words = topic(last.content)
    return [
        finding
        for finding in standing_findings
        if finding.turn == last.turn or len(topic(finding.content) & words) >= TAKEN_BACK
    ]


ERROR_NAMES = re.compile(
    rf"\b[A-Z]\w*(?:Error|Exception|Panic|Fault)\b|\b(?:{SYSTEM_ERRORS})\b|\bexit (?:code|status) [1-9]"
    rf"|\bHTTP [45]\d\d\b"
)
CAUSE = re.compile(
    r"root cause|turned out|caused by|because|the (?:problem|cause|culprit|reason|fix) (?:is|was)", re.I
)
LEAST_SHARED = 2
"""Content words that a resolution shares with its error."""

ERROR_CHARS = 300
"""Characters that are kept of an error, and of what resolves it."""

EXPLAINED_IMPORTANCE = 0.7
RESOLVED_IMPORTANCE = 0.5
"""Of a resolution: where a person names the cause of an error that has a name, and else."""

TOOL_READ = 4_000
"""Characters of a tool's output that are searched for an error, from its end."""

CHANGES = re.compile(
    r"edit|writ|patch|creat|replace|renam|delet|remov|mov|insert|append|updat|sav|format|(?<![a-z])(?:mv|rm|cp|sed)(?![a-z])",
    re.IGNORECASE,
)
LOOKS = re.compile(r"read|view|search|grep|glob|list|find|fetch|todo|memory|plan|show", re.IGNORECASE)
MOST_FILES = 10
"""Files that one finding names."""


def reported_error(now: Act) -> Passage | None:
    """Return the sentence in which a turn reports an error, None when it does not."""
    if now.by_tool:
        return _shown_error(now)
    if not now.by_user:
        return None
    for reading in now.readings[:4]:
        if reading.firm and wording.ERRORS.search(reading.cue) and not wording.RESOLVES.search(reading.cue):
            return _passage(reading)
    return None


def _shown_error(now: Act) -> Passage | None:
    text = now.turn.text
    errors = list(ERROR_NAMES.finditer(text, max(0, len(text) - TOOL_READ)))
    if not errors:
        return None
    last_match = errors[-1]
    start = text.rfind("\n", 0, last_match.start()) + 1
    end = text.find("\n", last_match.end())
    end = len(text) if end < 0 else end
    end = min(end, start + ERROR_CHARS)
    return Passage(" ".join(text[start:end].split()), start, end)


def resolved_errors(now: Act, known_findings: Sequence[Finding]) -> Iterator[tuple[Finding, Passage, float]]:
    """Yield open errors that a turn resolves, with the sentence that does, and how important that is."""
    open_errors = [finding for finding in known_findings if finding.kind == "error"]
    if now.by_tool or not open_errors:
        return
    for reading in now.readings:
        if reading.firm and wording.RESOLVES.search(reading.cue):
            error = _about(reading, open_errors)
            if error is not None:
                has_cause = ERROR_NAMES.search(error.content) and CAUSE.search(reading.sentence.text)
                is_explained = bool(has_cause) and now.by_user
                yield error, _passage(reading), EXPLAINED_IMPORTANCE if is_explained else RESOLVED_IMPORTANCE
                return


def _about(reading: SentenceReading, errors: Sequence[Finding]) -> Finding | None:
    """Return the error that a sentence resolves: one whose words it shares, not only its turn."""
    for error in reversed(errors):
        if len(topic(error.content) & reading.topic) >= LEAST_SHARED:
            return error
    return None


def _passage(reading: SentenceReading) -> Passage:
    sentence = reading.sentence
    return Passage(sentence.text[:ERROR_CHARS], sentence.start, min(sentence.end, sentence.start + ERROR_CHARS))


def changed_files(now: Act, known_findings: Sequence[Finding]) -> tuple[str, ...]:
    """Return the files that a tool call changed and that no finding of the session names yet."""
    tool = now.turn.tool or ""
    if not CHANGES.search(tool) or LOOKS.search(tool):
        return ()
    named_files = {file for finding in known_findings if finding.kind == "file_change" for file in finding.files}
    return tuple(file for file in now.turn.files if file not in named_files)[:MOST_FILES]


def progress(now: Act) -> Iterator[Passage]:
    """Yield the first sentence in which a turn says what is left to do."""
    if now.by_tool:
        return
    for reading in now.readings:
        if reading.firm and not reading.report and wording.PROGRESS.search(reading.cue):
            yield next(passages(now.turn.text, [reading]))
            return
