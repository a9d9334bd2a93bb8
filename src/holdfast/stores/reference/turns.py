"""The sessions of the reference store, their turns, and what was found in them."""

from collections.abc import Callable, Iterator, Sequence

from holdfast.errors import StoreError
from holdfast.model.finding import Finding
from holdfast.model.ids import time_of
from holdfast.model.kinds import ACTIVE, AGENT_ROLES, GENERIC_ROLES
from holdfast.model.search import Filters, Matches, Term, TurnPlace
from holdfast.model.session import Session, Turn
from holdfast.model.times import written_day
from holdfast.model.value import replace
from holdfast.stores.analyser import identifiers
from holdfast.stores.reference.index import Index, is_said, session_passes, turn_passes
from holdfast.stores.reference.memories import ReferenceMemories
from holdfast.stores.session_words import Row, gather_matches, turn_size
from holdfast.stores.weights import AGENT_SHARE, affordable


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


class ReferenceFindings:
    """`ports.Findings` in a dict, in the order of arrival."""

    def __init__(self) -> None:
        self.rows: dict[str, Finding] = {}

    def get(self, ids: Sequence[str]) -> list[Finding]:
        return [self.rows[finding_id] for finding_id in ids if finding_id in self.rows]

    def ending(self, tail: str) -> list[str]:
        return [full for full in self.rows if full.replace("-", "").endswith(tail)]

    def of(self, session_id: str, after: str | None, limit: int) -> list[Finding]:
        ids = list(self.rows)
        start = ids.index(after) + 1 if after in self.rows else 0
        return [
            self.rows[finding_id] for finding_id in ids[start:] if self.rows[finding_id].session == session_id
        ][:limit]

    def latest(self, session_id: str, limit: int) -> list[Finding]:
        return [finding for finding in self.rows.values() if finding.session == session_id][-limit:]

    def from_turns(self, ids: Sequence[str]) -> list[Finding]:
        return [finding for finding in self.rows.values() if any(place.turn in ids for place in finding.evidence)]

    def behind(self, memory_ids: Sequence[str]) -> list[Finding]:
        return [finding for finding in self.rows.values() if finding.memory in memory_ids]

    def saying(self, fingerprints: Sequence[str]) -> list[Finding]:
        return [finding for finding in self.rows.values() if finding.fingerprint in fingerprints]

    def unpromoted(self, since: int, limit: int) -> list[Finding]:
        findings = [
            finding for finding in self.rows.values() if finding.memory is None and finding.created_at >= since
        ]
        return sorted(findings, key=lambda finding: finding.created_at)[::-1][:limit]

    def put(self, findings: Sequence[Finding]) -> None:
        for finding in findings:
            self.rows[finding.id] = finding

    def delete(self, ids: Sequence[str]) -> None:
        for finding_id in ids:
            self.rows.pop(finding_id, None)


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
        return sum(map(turn_size, self.of(session)))

    def _passes(self, turn: Turn, filters: Filters) -> bool:
        return turn_passes(turn, self.sessions.rows[turn.session], filters)
