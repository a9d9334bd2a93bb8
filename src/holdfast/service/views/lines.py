"""A memory and a session as a list shows them: never the whole text."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from holdfast.model.kinds import PERSON_ROLES, USER_PROJECT
from holdfast.model.memory import Memory, shorten
from holdfast.model.session import Session
from holdfast.model.value import Value
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

CURRENT, SUPERSEDED, DROPPED, EXPIRED, FADED = "current", "superseded", "dropped", "expired", "faded"
"""Whether a memory holds, and else why not."""


class MemoryLine(Value, kw_only=True):
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


class SessionLine(Value, kw_only=True):
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

    def __init__(self, scopes: Scopes, now: int, forgets_at: Mapping[str, int] | None = None) -> None:
        self._scopes = scopes
        self._now = now
        self._forgets_at = forgets_at or {}

    def memory(self, memory: Memory) -> MemoryLine:
        """Show a memory."""
        return MemoryLine(
            id=memory.id,
            short=memory.id[-8:],
            scope="user" if memory.project == USER_PROJECT else "project",
            kind=memory.kind,
            title=memory.title,
            excerpt=shorten(memory.content, EXCERPT),
            status=memory.status,
            trust=memory.trust,
            importance=memory.importance,
            agent=memory.agent,
            user=memory.user,
            session=memory.session,
            branch=memory.branch,
            files=memory.files[:FILES_LISTED],
            source=memory.source,
            at=memory.created_at,
            updated_at=memory.updated_at,
            state=state_of(memory, self._now),
            superseded_by=memory.superseded_by,
            fades=memory.fades,
            expires=memory.expires,
            forgets_at=self._forgets_at.get(memory.id),
        )

    def session(self, session: Session) -> SessionLine:
        """Show a session."""
        return SessionLine(
            id=session.id,
            short=session.id[-8:],
            agent=session.agent,
            user=session.user,
            status=session.status,
            at=session.started_at,
            ended_at=session.ended_at,
            last_turn_at=session.last_turn_at,
            turns=session.turns,
            tool_calls=session.tool_calls,
            summary=shorten(session.summary, EXCERPT) if session.summary else "",
            opening="" if session.summary else self._opening(session),
            parent=session.parent,
            forked=session.forked_at is not None,
        )

    def _opening(self, session: Session) -> str:
        """Return the first line that a person said."""
        turns = self._scopes.project.turns.following(session.id, None, OPENING_TURNS)
        first = next((turn.text.strip() for turn in turns if turn.role.lower() in PERSON_ROLES), "")
        return shorten(first.partition("\n")[0], OPENING)

    def memories(self, ids: Sequence[str]) -> dict[str, MemoryLine]:
        """Show memories by their ids; those that are gone are left out."""
        return {
            memory.id: self.memory(memory) for store in self._scopes.present for memory in store.memories.get(ids)
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
