"""The sessions of a store on PostgreSQL."""

from collections.abc import Mapping, Sequence

from holdfast.model.kinds import AGENT_ROLES
from holdfast.model.search import Filters, Matches, Term
from holdfast.model.session import Session
from holdfast.stores.postgres.connection import Database
from holdfast.stores.postgres.matching import Matcher
from holdfast.stores.postgres.rows import filter_row, id_or_none, session_of, session_row, sought
from holdfast.stores.session_words import gathered


class PostgresSessions:
    """`ports.Sessions` on PostgreSQL."""

    def __init__(self, database: Database, turns: Matcher) -> None:
        self._database = database
        self._turns = turns

    def get(self, session_id: str) -> Session | None:
        return self._first("session_get", {"id": id_or_none(session_id)})

    def peek(self, session_id: str) -> Session | None:
        return next(map(session_of, self._database.all("session_peek", {"id": id_or_none(session_id)})), None)

    def ending(self, tail: str) -> list[str]:
        rows = self._database.all("sessions_ending", {"tail": sought(tail[-8:])})
        return [full for (full,) in rows if full.replace("-", "").endswith(tail)]

    def with_ref(self, project: str, ref: str) -> Session | None:
        return self._first("session_with_ref", {"project": sought(project), "ref": sought(ref)})

    def newest(self, project: str | None, limit: int) -> list[Session]:
        return self._select("sessions_newest", {"project": project, "limit": limit})

    def walk(self, after: str | None, limit: int) -> list[Session]:
        return self._select("sessions_walk", {"after": id_or_none(after), "limit": limit})

    def silent(self, since: int, limit: int) -> list[Session]:
        return self._select("sessions_silent", {"since": since, "limit": limit})

    def match(self, terms: Sequence[Term], filters: Filters, limit: int) -> Matches:
        with self._database.reading():
            searched = self._turns.affordable(terms)
            stems = [term.stem for term, looked in zip(terms, searched, strict=True) if looked]
            params = filter_row(filters) | {"stems": stems, "agents": list(AGENT_ROLES)}
            rows = self._database.all("sessions_match", params)
            [(sessions, size)] = self._database.all("sessions_extent")
        return gathered(terms, searched, rows, (sessions, size), limit)

    def insert(self, session: Session) -> None:
        [number] = self._database.arrivals(1)
        self._database.all("session_insert", session_row(session) | {"seq": number})

    def replace(self, session: Session) -> None:
        row = self._database.one("session_version", {"id": session.id})
        if row:
            self._database.check_unchanged(session.id, row[0])
        self._database.all("session_replace", session_row(session))
        self._database.changed([session.id])

    def _select(self, query: str, params: Mapping[str, object]) -> list[Session]:
        rows = self._database.all(query, params)
        self._database.saw((row[0], row[-1]) for row in rows)
        return [session_of(row) for row in rows]

    def _first(self, query: str, params: Mapping[str, object]) -> Session | None:
        return next(iter(self._select(query, params)), None)
