"""Find errors and what resolved them.

An error is what a person or a tool reports as broken; its resolution is the first later sentence that says what
the cause was or that it works, in words that the error has too. The two become one finding with both turns as
evidence. An agent's diagnosis is one among many: it matters only when a person says so (`accepted`).
"""

import re
from collections.abc import Iterator, Sequence

from holdfast.capture.sessions.findings import wording
from holdfast.capture.sessions.findings.acts import Act
from holdfast.capture.sessions.findings.passages import Passage
from holdfast.capture.sessions.findings.reading import SentenceReading, topic
from holdfast.capture.text.error_names import SYSTEM_ERRORS
from holdfast.model.finding import Finding

ERROR_NAMES = re.compile(
    rf"\b[A-Z]\w*(?:Error|Exception|Panic|Fault)\b|\b(?:{SYSTEM_ERRORS})\b|\bexit (?:code|status) [1-9]"
    rf"|\bHTTP [45]\d\d\b"
)
CAUSE = re.compile(
    r"root cause|turned out|caused by|because|the (?:problem|cause|culprit|reason|fix) (?:is|was)", re.I
)
LEAST_SHARED = 2
TOOL_READ = 4_000
"""Characters of a tool's output that are searched for an error, from its end."""


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
    end = min(end, start + 300)
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
                is_explained = bool(ERROR_NAMES.search(error.content)) and bool(
                    CAUSE.search(reading.sentence.text)
                )
                yield error, _passage(reading), 0.7 if is_explained and now.by_user else 0.5
                return


def _about(reading: SentenceReading, errors: Sequence[Finding]) -> Finding | None:
    """Return the error that a sentence resolves: one whose words it shares, not only its turn."""
    for error in reversed(errors):
        if len(topic(error.content) & reading.topic) >= LEAST_SHARED:
            return error
    return None


def _passage(reading: SentenceReading) -> Passage:
    sentence = reading.sentence
    return Passage(sentence.text[:300], sentence.start, min(sentence.end, sentence.start + 300))
