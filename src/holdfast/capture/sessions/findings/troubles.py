"""What work shows: errors and what resolved them, files that tools changed, and how far a task has come.

An error is what a person or a tool reports as broken; its resolution is the first later sentence that says what
the cause was or that it works, in words that the error has too. The two become one finding with both turns as
evidence. An agent's diagnosis is one among many: it matters only when a person says so (`decisions`).
"""

import re
from collections.abc import Iterator, Sequence

from holdfast.capture.sessions.findings import wording
from holdfast.capture.sessions.findings.acts import Act
from holdfast.capture.sessions.findings.reading import Passage, SentenceReading, passages, topic
from holdfast.capture.text.names import SYSTEM_ERRORS
from holdfast.model.finding import Finding

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
