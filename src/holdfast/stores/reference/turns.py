"""The turns of the reference store."""

from collections.abc import Sequence
from dataclasses import replace

from holdfast.errors import StoreError
from holdfast.model.search import Filters, Matches, Term
from holdfast.model.session import Turn
from holdfast.stores.analyser import identifiers
from holdfast.stores.reference.filtering import turn_passes
from holdfast.stores.reference.index import Index
from holdfast.stores.reference.sessions import ReferenceSessions


class ReferenceTurns:
    """`ports.Turns` in a dict, in the order of arrival."""

    def __init__(self, sessions: ReferenceSessions, index: Index) -> None:
        self.rows: dict[str, Turn] = {}
        self.index = index
        self._sessions = sessions

    def get(self, ids: Sequence[str]) -> list[Turn]:
        return [self.rows[turn_id] for turn_id in ids if turn_id in self.rows]

    def walk(self, after: str | None, limit: int) -> list[Turn]:
        ids = list(self.rows)
        start = ids.index(after) + 1 if after in self.rows else 0
        return self.get(ids[start : start + limit])

    def of(self, session_id: str) -> list[Turn]:
        return [turn for turn in self.rows.values() if turn.session == session_id]

    def with_ref(self, session_id: str, ref: str) -> Turn | None:
        return next((turn for turn in self.of(session_id) if turn.ref == ref), None)

    def containing(self, project: str, text: str) -> list[Turn]:
        return [
            turn
            for turn in self.rows.values()
            if text in turn.text and self._sessions.rows[turn.session].project == project
        ]

    def match(self, terms: Sequence[Term], filters: Filters, limit: int) -> Matches:
        return self.index.match(terms, lambda one: self._passes(self.rows[one], filters), limit)

    def insert(self, turns: Sequence[Turn]) -> None:
        for turn in turns:
            if turn.ref is not None and self.with_ref(turn.session, turn.ref):
                raise StoreError(path="memory", problem=f"a turn has the ref {turn.ref!r} already")
            self.replace(turn)
            session = self._sessions.rows[turn.session]
            self._sessions.rows[session.id] = replace(
                session,
                turns=session.turns + 1,
                tool_calls=session.tool_calls + (turn.tool is not None),
                last_turn_at=max(session.last_turn_at or 0, turn.at),
            )

    def replace(self, turn: Turn) -> None:
        self.rows[turn.id] = turn
        joined = identifiers(turn.text, " ".join(turn.files))
        self.index.put(turn.id, (turn.text, " ".join(turn.files), turn.role, joined))

    def _passes(self, turn: Turn, filters: Filters) -> bool:
        return turn_passes(turn, self._sessions.rows[turn.session], filters)
