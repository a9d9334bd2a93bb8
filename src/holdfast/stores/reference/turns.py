"""The turns of the reference store."""

from collections.abc import Iterator, Sequence

from holdfast.errors import StoreError
from holdfast.model.ids import time_of
from holdfast.model.kinds import AGENT_ROLES, GENERIC_ROLES
from holdfast.model.search import Filters, Matches, Term, TurnPlace
from holdfast.model.session import Session, Turn
from holdfast.model.times import written_day
from holdfast.model.value import replace
from holdfast.stores.analyser import identifiers
from holdfast.stores.reference.filtering import is_said, turn_passes
from holdfast.stores.reference.findings import ReferenceFindings
from holdfast.stores.reference.index import Index
from holdfast.stores.reference.memories import ReferenceMemories
from holdfast.stores.reference.sessions import ReferenceSessions
from holdfast.stores.session_words import Row, gather_matches
from holdfast.stores.weights import AGENT_SHARE, affordable


class ReferenceTurns:
    """`ports.Turns` in a dict, in the order of arrival."""

    def __init__(
        self, sessions: ReferenceSessions, memories: ReferenceMemories, findings: ReferenceFindings, index: Index
    ) -> None:
        self.rows: dict[str, Turn] = {}
        self.arrived: dict[str, None] = {}
        self.index = index
        self.memories = memories
        self.findings = findings
        self.sessions = sessions
        sessions.gather = self._gather

    def get(self, ids: Sequence[str]) -> list[Turn]:
        return [self.rows[turn_id] for turn_id in ids if turn_id in self.rows]

    def ending(self, tail: str) -> list[str]:
        return [full for full in self.rows if full.replace("-", "").endswith(tail)]

    def walk(self, after: str | None, limit: int) -> list[Turn]:
        ids = list(self.arrived)
        start = ids.index(after) + 1 if after in self.arrived else 0
        return self.get(ids[start:])[:limit]

    def of(self, session_id: str) -> list[Turn]:
        return [turn for turn in self.rows.values() if turn.session == session_id]

    def following(self, session_id: str, after: str | None, limit: int) -> list[Turn]:
        start = list(self.rows).index(after) + 1 if after in self.rows else 0
        later = [turn for turn in list(self.rows.values())[start:] if turn.session == session_id]
        return later[:limit]

    def leading(self, session_id: str, upto: str, limit: int) -> list[Turn]:
        end = list(self.rows).index(upto) + 1 if upto in self.rows else 0
        earlier = [turn for turn in list(self.rows.values())[:end] if turn.session == session_id]
        return earlier[-limit:]

    def with_ref(self, session_id: str, ref: str) -> Turn | None:
        return next((turn for turn in self.of(session_id) if turn.ref == ref), None)

    def containing(self, text: str) -> list[Turn]:
        return [turn for turn in self.rows.values() if text in turn.text]

    def match(
        self, terms: Sequence[Term], filters: Filters, limit: int, most_postings: int | None = None
    ) -> Matches:
        return self.index.match(
            terms, lambda turn_id: self._passes(self.rows[turn_id], filters), limit, most_postings
        )

    def words(self, lead: str) -> dict[str, int]:
        return self.index.words(lead)

    def places(self, ids: Sequence[str]) -> list[TurnPlace]:
        return [self._place(turn) for turn in self.get(ids)]

    def _place(self, turn: Turn) -> TurnPlace:
        siblings = [sibling.id for sibling in self.of(turn.session)]
        here = siblings.index(turn.id)
        before = siblings[here - 1] if here else None
        after = siblings[here + 1] if here + 1 < len(siblings) else None
        return TurnPlace(turn.id, turn.session, turn.role, turn.at, before, after, is_said(turn))

    def around(self, ids: Sequence[str], before: int, after: int) -> list[Turn]:
        turn_ids = {turn.id for turn in self.get(ids)}
        return [
            turn for session in self.sessions.rows for turn in self._turns_around(session, turn_ids, before, after)
        ]

    def _turns_around(self, session: str, turn_ids: set[str], before: int, after: int) -> list[Turn]:
        turns = self.of(session)
        places = [place for place, turn in enumerate(turns) if turn.id in turn_ids]
        near_places = [
            place for place in range(len(turns)) if any(-before <= place - centre <= after for centre in places)
        ]
        return [turns[place] for place in near_places]

    def last(self, sessions: Sequence[str], limit: int) -> list[str]:
        return [turn.id for session in sessions for turn in self.of(session)[::-1][:limit]]

    def insert(self, turns: Sequence[Turn]) -> None:
        for turn in turns:
            if turn.ref is not None and self.with_ref(turn.session, turn.ref):
                raise StoreError(path="memory", problem=f"a turn has the ref {turn.ref!r} already")
            self.replace(turn)
            session = self.sessions.rows[turn.session]
            self.sessions.rows[session.id] = replace(
                session,
                turns=session.turns + 1,
                tool_calls=session.tool_calls + (turn.tool is not None),
                last_turn_at=max(session.last_turn_at or 0, turn.at),
                heard_at=max(session.heard_at or 0, time_of(turn.id)),
            )

    def replace(self, turn: Turn) -> None:
        if turn.id not in self.rows:
            self.arrived.pop(turn.id, None)
        self.arrived[turn.id] = None
        self.rows[turn.id] = turn
        identifier_text = identifiers(turn.text, " ".join(turn.files))
        speaker = "" if turn.role.lower() in GENERIC_ROLES else turn.role
        day = written_day(turn.at)
        self.index.put(turn.id, (turn.text, " ".join(turn.files), speaker, identifier_text, day))

    def delete(self, ids: Sequence[str]) -> None:
        for finding in tuple(self.findings.from_turns(ids)):
            if finding.memory not in self.memories.rows:
                self.findings.delete([finding.id])
        for turn_id in ids:
            self.rows.pop(turn_id, None)
            self.index.drop(turn_id)

    def session_of(self, turn_id: str) -> Session:
        """Return the session of a turn."""
        return self.sessions.rows[self.rows[turn_id].session]

    def _gather(self, terms: Sequence[Term], filters: Filters, limit: int) -> Matches:
        search_flags = affordable(self.index.frequencies(terms), self.index.budget)
        stems = [term.stem for term, is_searched in zip(terms, search_flags, strict=True) if is_searched]
        rows = [row for session in self.sessions.rows for row in self._gather_one(session, stems, filters)]
        extent = len(self.sessions.rows), sum(self._size(session) for session in self.sessions.rows)
        return gather_matches(terms, search_flags, rows, extent, limit)

    def _gather_one(self, session: str, stems: Sequence[str], filters: Filters) -> Iterator[Row]:
        turns = self.of(session)
        size = self._size(session)
        for stem in sorted(stems):
            holding = [turn for turn in turns if any(words[stem] for words in self.index.columns(turn.id))]
            if holding:
                passes = any(self._passes(turn, filters) for turn in holding)
                yield session, stem, size, passes, self._frequency(holding, stem)

    def _frequency(self, turns: Sequence[Turn], stem: str) -> float:
        frequency = days = 0.0
        for turn in turns:
            *columns, day = self.index.columns(turn.id)
            share = AGENT_SHARE if turn.role.lower() in AGENT_ROLES else 1.0
            frequency += share * sum(words[stem] for words in columns)
            days = max(days, float(day[stem] > 0))
        return frequency + days

    def _size(self, session: str) -> int:
        return sum(len(turn.text) * (1 if turn.role.lower() in AGENT_ROLES else 10) for turn in self.of(session))

    def _passes(self, turn: Turn, filters: Filters) -> bool:
        return turn_passes(turn, self.sessions.rows[turn.session], filters)
