"""Find what was done: files that tools changed, and how far a task has come."""

import re
from collections.abc import Iterator, Sequence

from holdfast.capture.sessions.findings import wording
from holdfast.capture.sessions.findings.acts import Act
from holdfast.capture.sessions.findings.passages import Passage, passages
from holdfast.model.finding import Finding

CHANGES = re.compile(
    r"edit|writ|patch|creat|replace|renam|delet|remov|mov|insert|append|updat|sav|format|(?<![a-z])(?:mv|rm|cp|sed)(?![a-z])",
    re.IGNORECASE,
)
LOOKS = re.compile(r"read|view|search|grep|glob|list|find|fetch|todo|memory|plan|show", re.IGNORECASE)
MOST_FILES = 10


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
