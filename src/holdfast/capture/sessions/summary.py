"""What a session came to, in a few lines: goal, decisions, changes, errors, open ends.

Made of findings and of the first and the last turns, by rule; made again in the same way after something was
forgotten, so that nothing of it lives on here.
"""

from collections.abc import Iterable, Iterator, Sequence

from holdfast.capture.sessions.talk import asks, by_person, says_something
from holdfast.model.finding import ERROR_RESOLUTION, RULING, Finding
from holdfast.model.session import Session, Turn
from holdfast.ports import Store
from holdfast.text.sentences import sentences

FINDINGS = 400
"""Findings that a summary is made of, the latest."""

OPENING = 5
CLOSING = 3
"""Turns that a summary looks at for the goal and for what is open."""

LINE = 200
"""Characters of one entry."""

MOST = 6
"""Entries under one heading."""


def sum_up(store: Store, session: Session) -> str:
    """Say in a few lines what a session came to."""
    first = store.turns.following(session.id, None, OPENING)
    last = store.turns.leading(session.id, session.read_to, CLOSING) if session.read_to else []
    return summarise(first, last, store.findings.latest(session.id, FINDINGS))


def summarise(first: Sequence[Turn], last: Sequence[Turn], findings: Iterable[Finding]) -> str:
    """Say in a few lines what a session was about, given its first and last turns and all of its findings."""
    known_findings = list(findings)
    parts = (
        ("Goal", list(_goal(first))),
        (
            "Decided",
            [finding.content for finding in known_findings if finding.kind in RULING and finding.settled],
        ),
        (
            "Changed",
            list(
                dict.fromkeys(
                    file for finding in known_findings if finding.kind == "file_change" for file in finding.files
                )
            ),
        ),
        ("Fixed", [finding.content for finding in known_findings if ERROR_RESOLUTION in finding.signals]),
        (
            "Errors",
            [
                finding.content
                for finding in known_findings
                if finding.kind == "error" and not _is_resolved(finding, known_findings)
            ],
        ),
        (
            "Open",
            [*_open(last), *(finding.content for finding in known_findings if finding.kind == "task_progress")],
        ),
    )
    return "\n".join(_line(name, entries) for name, entries in parts if entries)


def _goal(turns: Sequence[Turn]) -> Iterator[str]:
    """Yield the first sentence of the first person's turn that is more than a greeting."""
    for turn in turns:
        said = (
            [piece.text for piece in sentences(turn.text) if says_something(piece.text)] if by_person(turn) else []
        )
        if said:
            yield said[0]
            return


def _open(turns: Sequence[Turn]) -> Iterator[str]:
    """Yield the question with which the session ended, if it did."""
    last = turns[-1] if turns and turns[-1].tool is None else None
    pieces = sentences(last.text) if last else []
    if pieces and asks(pieces[-1].text) and says_something(pieces[-1].text):
        yield pieces[-1].text


def _is_resolved(error: Finding, known_findings: Sequence[Finding]) -> bool:
    return any(
        ERROR_RESOLUTION in finding.signals and error.evidence[0] in finding.evidence for finding in known_findings
    )


def _line(name: str, entries: Sequence[str]) -> str:
    short_entries = [_short(entry) for entry in entries[-MOST:]]
    if len(entries) > MOST:
        short_entries.insert(0, f"({len(entries) - MOST} more)")
    return f"{name}: " + " · ".join(short_entries)


def _short(text: str) -> str:
    return text if len(text) <= LINE else text[: LINE - 1].rstrip() + "…"
