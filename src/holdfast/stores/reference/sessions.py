"""The sessions of the reference store."""

from collections.abc import Callable, Sequence

from holdfast.errors import StoreError
from holdfast.model.kinds import ACTIVE
from holdfast.model.search import Filters, Matches, Term
from holdfast.model.session import Session
from holdfast.model.value import replace
from holdfast.stores.reference.filtering import session_passes


class ReferenceSessions:
    """`ports.Sessions` in a dict."""

    def __init__(self) -> None:
        self.rows: dict[str, Session] = {}
        self.gather: Callable[[Sequence[Term], Filters, int], Matches]
        """Set by the turns, whose words make a session's."""

    def get(self, session_id: str) -> Session | None:
        return self.rows.get(session_id)

    def peek(self, session_id: str) -> Session | None:
        return self.get(session_id)

    def ending(self, tail: str) -> list[str]:
        return [full for full in self.rows if full.replace("-", "").endswith(tail)]

    def with_ref(self, project: str, ref: str) -> Session | None:
        sessions = (session for session in self.rows.values() if session.project == project and session.ref == ref)
        return next(sessions, None)

    def newest(self, project: str | None, limit: int) -> list[Session]:
        sessions = [session for session in self.rows.values() if project is None or session.project == project]
        return sorted(sessions, key=lambda session: session.started_at)[::-1][:limit]

    def page(self, filters: Filters, before: Session | None, limit: int) -> list[Session]:
        passing = [session for session in self.rows.values() if session_passes(session, filters)]
        newest = sorted(passing, key=lambda session: session.started_at)[::-1]
        if before is None:
            return newest[:limit]
        order = {session_id: place for place, session_id in enumerate(self.rows)}
        here = (before.started_at, order[before.id])
        return [session for session in newest if (session.started_at, order[session.id]) < here][:limit]

    def children(self, session_id: str, limit: int) -> list[Session]:
        children = [session for session in self.rows.values() if session.parent == session_id]
        return sorted(children, key=lambda session: session.started_at)[:limit]

    def walk(self, after: str | None, limit: int) -> list[Session]:
        sessions = list(self.rows.values())
        start = [session.id for session in sessions].index(after) + 1 if after in self.rows else 0
        return sessions[start : start + limit]

    def silent(self, since: int, limit: int) -> list[Session]:
        sessions = [
            session for session in self.rows.values() if session.status == ACTIVE and _heard_at(session) < since
        ]
        return sorted(sessions, key=_heard_at)[:limit]

    def match(self, terms: Sequence[Term], filters: Filters, limit: int) -> Matches:
        return self.gather(terms, filters, limit)

    def insert(self, session: Session) -> None:
        if session.ref is not None and self.with_ref(session.project, session.ref):
            raise StoreError(path="memory", problem=f"a session has the ref {session.ref!r} already")
        self.rows[session.id] = session

    def replace(self, session: Session) -> None:
        stored_session = self.rows[session.id]
        self.rows[session.id] = replace(
            session,
            turns=stored_session.turns,
            tool_calls=stored_session.tool_calls,
            last_turn_at=stored_session.last_turn_at,
            heard_at=max(stored_session.heard_at or 0, session.heard_at or 0) or None,
        )


def _heard_at(session: Session) -> int:
    moments = (session.heard_at, session.last_turn_at, session.started_at)
    return next(moment for moment in moments if moment is not None)
