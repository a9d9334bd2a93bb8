"""What the work itself shows: errors of tools, what resolved them, changed files, and what is left to do.

These findings are observations, not rules: they feed summaries, and an explained repair can be promoted.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence

from holdfast.capture.sessions.talk import asks, speaker
from holdfast.model.finding import ERROR_RESOLUTION, Evidence, Finding
from holdfast.model.ids import fingerprint, id_from
from holdfast.model.kinds import AGENT, TOOL, USER
from holdfast.model.limits import FINDING_CHARS
from holdfast.model.patterns import regex
from holdfast.model.session import Turn
from holdfast.text.names import SYSTEM_ERRORS
from holdfast.text.sentences import SentenceSpan, sentences
from holdfast.text.words import topic

ERROR_IMPORTANCE, PROGRESS_IMPORTANCE, CHANGE_IMPORTANCE = 0.4, 0.35, 0.3
EXPLAINED_IMPORTANCE, RESOLVED_IMPORTANCE = 0.7, 0.5
"""Importance of an error, of work that is left, of a changed file; of a repair with its cause, and without."""

BELIEF = 0.6
"""How sure it is that what work shows matters."""

LEAST_SHARED = 2
"""Content words that a resolution shares with its error."""

ERROR_CHARS = 300
TOOL_READ = 4_000
"""Characters that are kept of an error, and that are searched for one, from the end of a tool's output."""

MOST_FILES = 10
"""Files that one finding names."""

_ERROR = regex(
    rf"\b[A-Z]\w*(?:Error|Exception|Panic|Fault)\b|\b(?:{SYSTEM_ERRORS})\b|\bexit (?:code|status) [1-9]"
    rf"|\bHTTP [45]\d\d\b"
)
_RESOLVES = regex(
    r"\b(?:fixed|resolved|solved|repaired|root cause|turned out|caused by|the (?:cause|culprit|fix) (?:is|was)"
    r"|works (?:now|again)|(?:tests?|suite|build) (?:now )?(?:pass(?:es)?|green))\b",
    re.IGNORECASE,
)
_CAUSE = regex(
    r"root cause|turned out|caused by|because|the (?:problem|cause|culprit|reason|fix) (?:is|was)", re.I
)
_LEFT = regex(
    r"\b(?:to-?dos?|next steps?|remaining (?:work|tasks?|steps?|items?)|still (?:to do|missing|open)|left to do"
    r"|not (?:yet )?(?:done|finished|implemented)|\d+ of (?:the )?\d+ (?:\w+ )?(?:done|complete|migrated))\b",
    re.IGNORECASE,
)
_CHANGES = regex(
    r"edit|writ|patch|creat|replace|renam|delet|remov|mov|insert|append|updat|sav|format|(?<![a-z])(?:mv|rm|cp|sed)(?![a-z])",
    re.IGNORECASE,
)
_LOOKS = regex(r"read|view|search|grep|glob|list|find|fetch|todo|memory|plan|show", re.IGNORECASE)


def work_findings(turn: Turn, known_findings: Sequence[Finding]) -> Iterator[Finding]:
    """Yield what a turn shows of the work, in the light of what is known of it."""
    if speaker(turn) == TOOL:
        yield from _error(turn, known_findings)
        if files := _changed_files(turn, known_findings):
            yield _make(
                turn, "file_change", f"Changed {', '.join(files)}", 0, len(turn.text), CHANGE_IMPORTANCE, files
            )
        return
    open_errors = [finding for finding in known_findings if finding.kind == "error"]
    pieces = sentences(turn.text) if open_errors or speaker(turn) == AGENT else []
    if open_errors:
        yield from _resolution(turn, pieces, open_errors, known_findings)
    if speaker(turn) == AGENT and (open_piece := next((piece for piece in pieces if _is_left(piece)), None)):
        yield _make(turn, "task_progress", open_piece.text, open_piece.start, open_piece.end, PROGRESS_IMPORTANCE)


def _is_left(piece: SentenceSpan) -> bool:
    return not asks(piece.text) and _LEFT.search(piece.text) is not None


def _error(turn: Turn, known_findings: Sequence[Finding]) -> Iterator[Finding]:
    """Yield the line of a tool's output that names its last error."""
    text = turn.text
    errors = list(_ERROR.finditer(text, max(0, len(text) - TOOL_READ)))
    if not errors:
        return
    start = text.rfind("\n", 0, errors[-1].start()) + 1
    end = text.find("\n", errors[-1].end())
    end = min(len(text) if end < 0 else end, start + ERROR_CHARS)
    line = " ".join(text[start:end].split())
    if all(finding.content != line for finding in known_findings):
        yield _make(turn, "error", line, start, end, ERROR_IMPORTANCE)


def _resolution(
    turn: Turn, pieces: Sequence[SentenceSpan], errors: Sequence[Finding], known_findings: Sequence[Finding]
) -> Iterator[Finding]:
    """Yield the first sentence that resolves an open error, together with it."""
    resolved_places = {finding.evidence[-1] for finding in known_findings if ERROR_RESOLUTION in finding.signals}
    for piece in pieces:
        error = _about(piece.text, errors) if _RESOLVES.search(piece.text) and not asks(piece.text) else None
        if error is None:
            continue
        if error.evidence[0] not in resolved_places:
            is_explained = speaker(turn) == USER and _ERROR.search(error.content) and _CAUSE.search(piece.text)
            text = f"{error.content} → {piece.text}"[:FINDING_CHARS]
            importance = EXPLAINED_IMPORTANCE if is_explained else RESOLVED_IMPORTANCE
            bugfix = _make(turn, "bugfix", text, piece.start, piece.end, importance, error=error)
            yield bugfix
        return


def _about(text: str, errors: Sequence[Finding]) -> Finding | None:
    """Return the latest error whose words a sentence shares."""
    words = topic(text)
    return next((error for error in reversed(errors) if len(topic(error.content) & words) >= LEAST_SHARED), None)


def _changed_files(turn: Turn, known_findings: Sequence[Finding]) -> tuple[str, ...]:
    """Return the files that a tool call changed and that no finding of the session names yet."""
    tool = turn.tool or ""
    if not _CHANGES.search(tool) or _LOOKS.search(tool):
        return ()
    named_files = {file for finding in known_findings if finding.kind == "file_change" for file in finding.files}
    return tuple(file for file in turn.files if file not in named_files)[:MOST_FILES]


def _make(
    turn: Turn,
    kind: str,
    text: str,
    start: int,
    end: int,
    importance: float,
    files: tuple[str, ...] = (),
    error: Finding | None = None,
) -> Finding:
    content = text[:FINDING_CHARS]
    key = f"{turn.session} {turn.id} {start} {end} {kind}"
    return Finding(
        id=id_from(turn.at, hashlib.sha256(key.encode()).digest()),
        session=turn.session,
        kind=kind,
        content=content,
        fingerprint=fingerprint(content),
        evidence=(Evidence(turn=turn.id, start=start, end=end), *(error.evidence if error else ())),
        importance=importance,
        confidence=BELIEF,
        signals=(ERROR_RESOLUTION,) if error else (),
        files=files,
        created_at=turn.at,
    )
