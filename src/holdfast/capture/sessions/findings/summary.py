"""What a session came to, in a few lines: goal, decisions, changes, errors, open ends.

Made of findings and of the first and the last turns, by rule; made again in the same way after something was
forgotten, so that nothing of it lives on here.
"""

from collections.abc import Iterable, Iterator, Sequence

from holdfast.capture.sessions.findings.acts import Act
from holdfast.capture.sessions.findings.reading import Reading
from holdfast.model.finding import ERROR_RESOLUTION, RECAPPED, Finding
from holdfast.model.session import Turn

LINE = 200
"""Characters of one entry."""

MOST = 6
"""Entries under one heading."""

RULING = frozenset({"decision", "preference", "warning", "architecture", "pattern"})


def summarise(first: Sequence[Turn], last: Sequence[Turn], findings: Iterable[Finding]) -> str:
    """Say in a few lines what a session was about, given its first and last turns and all of its findings."""
    known = list(findings)
    parts = (
        ("Goal", list(_goal(first))),
        ("Decided", [one.content for one in known if one.kind in RULING and one.settled and not _said_later(one)]),
        ("Changed", list(dict.fromkeys(file for one in known if one.kind == "file_change" for file in one.files))),
        ("Fixed", [one.content for one in known if ERROR_RESOLUTION in one.signals]),
        ("Errors", [one.content for one in known if one.kind == "error" and not _resolved(one, known)]),
        ("Open", [*_open(last), *(one.content for one in known if one.kind == "task_progress")]),
    )
    return "\n".join(_line(name, entries) for name, entries in parts if entries)


def _goal(turns: Sequence[Turn]) -> Iterator[str]:
    """Yield the first sentence of the first person's turn that is more than a greeting."""
    for turn in turns:
        read = Act(turn)
        if read.by_user:
            told = [one.sentence.text for one in read.readings if _says_something(one)]
            yield from told[:1]
            if told:
                return


def _says_something(reading: Reading) -> bool:
    """Say whether a sentence is more than a greeting, or than the mark of what is not kept."""
    if reading.sentence.text.startswith("["):
        return False
    return len(reading.topic) >= 2 or (bool(reading.topic) and not reading.courtesy)


def _open(turns: Sequence[Turn]) -> Iterator[str]:
    """Yield the question with which the session ended, if it did."""
    if turns and (read := Act(turns[-1])).asks and _says_something(read.readings[-1]):
        yield read.readings[-1].sentence.text


def _said_later(finding: Finding) -> bool:
    return RECAPPED in finding.signals


def _resolved(error: Finding, known: Sequence[Finding]) -> bool:
    return any(ERROR_RESOLUTION in one.signals and error.evidence[0] in one.evidence for one in known)


def _line(name: str, entries: Sequence[str]) -> str:
    shown = [_short(entry) for entry in entries[-MOST:]]
    if len(entries) > MOST:
        shown.insert(0, f"({len(entries) - MOST} more)")
    return f"{name}: " + " · ".join(shown)


def _short(text: str) -> str:
    return text if len(text) <= LINE else text[: LINE - 1].rstrip() + "…"
