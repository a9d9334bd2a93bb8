"""A memory, a session and a passage as pages show them: never the whole of a long text.

A passage is part of a turn with the words marked that something was read from, cut into pieces, so that the page
counts no characters.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from holdfast.model.kinds import PERSON_ROLES, USER_PROJECT
from holdfast.model.memory import Memory, shorten
from holdfast.model.plain import filled
from holdfast.model.session import Session
from holdfast.service.scopes import Scopes

EXCERPT = 280
"""Characters of a text that a list shows."""

FILES_LISTED = 5

OPENING = 160
"""Characters of how a session began."""

OPENING_TURNS = 4
"""The first turns among which a person's is looked for."""

TITLE = 80
"""Characters of what has no title of its own."""

PASSAGE = 4_000
"""Characters of a turn that are shown around its marked words."""

LEAD = 600
"""Characters before the first marked word."""

CURRENT, SUPERSEDED, DROPPED, EXPIRED, FADED = "current", "superseded", "dropped", "expired", "faded"
"""Whether a memory holds, and else why not."""


class MemoryLine(Struct, frozen=True, kw_only=True):
    """A memory in a list."""

    type: str = "memory"
    id: str
    short: str
    scope: str
    kind: str
    title: str
    excerpt: str
    status: str
    trust: str
    importance: float
    agent: str | None
    user: str
    session: str | None
    branch: str | None
    files: tuple[str, ...]
    source: str
    at: int
    updated_at: int
    state: str
    superseded_by: str | None
    fades: int | None
    expires: int | None
    forgets_at: int | None


class SessionLine(Struct, frozen=True, kw_only=True):
    """A session in a list."""

    type: str = "session"
    id: str
    short: str
    agent: str
    user: str
    status: str
    at: int
    ended_at: int | None
    last_turn_at: int | None
    turns: int
    tool_calls: int
    summary: str
    opening: str
    """How it began, where it has no summary yet."""
    parent: str | None
    forked: bool


class Lines:
    """Writes lines, at one moment."""

    def __init__(self, scopes: Scopes, now: int, forgets_at: Mapping[str, int]) -> None:
        self.scopes = scopes
        self.now = now
        self._forgets_at = forgets_at

    def memory(self, memory: Memory) -> MemoryLine:
        """Show a memory."""
        return filled(
            MemoryLine,
            memory,
            short=memory.id[-8:],
            scope="user" if memory.project == USER_PROJECT else "project",
            excerpt=shorten(memory.content, EXCERPT),
            files=memory.files[:FILES_LISTED],
            at=memory.created_at,
            state=state_of(memory, self.now),
            forgets_at=self._forgets_at.get(memory.id),
        )

    def session(self, session: Session) -> SessionLine:
        """Show a session."""
        return filled(
            SessionLine,
            session,
            short=session.id[-8:],
            at=session.started_at,
            summary=shorten(session.summary, EXCERPT) if session.summary else "",
            opening="" if session.summary else self._opening(session),
            forked=session.forked_at is not None,
        )

    def _opening(self, session: Session) -> str:
        """Return the first line that a person said."""
        turns = self.scopes.project.turns.following(session.id, None, OPENING_TURNS)
        first = next((turn.text.strip() for turn in turns if turn.role.lower() in PERSON_ROLES), "")
        return shorten(first.partition("\n")[0], OPENING)

    def memories(self, ids: Sequence[str]) -> dict[str, MemoryLine]:
        """Show memories by their ids; those that are gone are left out."""
        return {
            memory.id: self.memory(memory) for store in self.scopes.present for memory in store.memories.get(ids)
        }


def state_of(memory: Memory, now: int) -> str:
    """Say whether a memory holds, and else why not."""
    if memory.superseded:
        return SUPERSEDED if memory.superseded_by else DROPPED
    if not memory.holds(now):
        return EXPIRED
    return FADED if memory.faded(now) else CURRENT


def titles_of(scopes: Scopes, ids: Sequence[str]) -> dict[str, str]:
    """Return what entries that a brief named are called: memories, turns, findings and sessions."""
    titles = {memory.id: memory.title for store in scopes.present for memory in store.memories.get(ids)}
    project, cut = scopes.project, partial(shorten, most=TITLE)
    lookups: tuple[Callable[[list[str]], dict[str, str]], ...] = (
        lambda rest: {turn.id: cut(turn.text) for turn in project.turns.get(rest)},
        lambda rest: {finding.id: cut(finding.content) for finding in project.findings.get(rest)},
        lambda rest: {full: cut(session.summary) for full in rest if (session := project.sessions.peek(full))},
    )
    for look_up in lookups:
        rest = [entry_id for entry_id in ids if entry_id not in titles]
        titles |= look_up(rest) if rest else {}
    return titles


class Mark(Struct, frozen=True, kw_only=True):
    """Characters of a text, and what was read from them."""

    start: int
    end: int
    finding: str
    memory: str | None = None


class TextPiece(Struct, frozen=True, kw_only=True):
    """A part of a text, marked or not."""

    text: str
    marked: bool
    finding: str | None = None
    memory: str | None = None


class MarkedPassage(Struct, frozen=True, kw_only=True):
    """A part of a text around its marks."""

    text: str
    marks: tuple[tuple[int, int], ...]
    before: bool
    """Whether there is more of it before."""
    after: bool
    pieces: tuple[TextPiece, ...]


def passage_of(text: str, marks: Sequence[Mark], most: int = PASSAGE, lead: int = LEAD) -> MarkedPassage:
    """Return what a page shows of a text: all of it, or the part that begins a little before the first mark."""
    first = min((mark.start for mark in marks), default=0)
    start = 0 if len(text) <= most else max(0, min(first - lead, len(text) - most))
    passage = text[start : start + most]
    inside = [_moved(mark, start, len(passage)) for mark in marks]
    spans = [mark for mark in inside if mark.start < mark.end]
    return MarkedPassage(
        text=passage,
        marks=tuple((mark.start, mark.end) for mark in spans),
        before=start > 0,
        after=start + most < len(text),
        pieces=pieces_of(passage, spans),
    )


def pieces_of(text: str, marks: Sequence[Mark]) -> tuple[TextPiece, ...]:
    """Cut a text at its marks; where two overlap, the first has the words."""
    pieces: list[TextPiece] = []
    place = 0
    for mark in sorted(marks, key=lambda candidate: (candidate.start, candidate.end)):
        start, end = max(mark.start, place), min(mark.end, len(text))
        if start >= end:
            continue
        if place < start:
            pieces.append(TextPiece(text=text[place:start], marked=False))
        pieces.append(TextPiece(text=text[start:end], marked=True, finding=mark.finding, memory=mark.memory))
        place = end
    if place < len(text) or not pieces:
        pieces.append(TextPiece(text=text[place:], marked=False))
    return tuple(pieces)


def _moved(mark: Mark, start: int, length: int) -> Mark:
    return replace(mark, start=max(0, mark.start - start), end=min(length, mark.end - start))
