"""The sessions of an embedded store."""

from collections.abc import Sequence

from holdfast.hints import cast
from holdfast.model.search import Filters, Matches, Term
from holdfast.model.session import Session
from holdfast.stores.gathering import gathered
from holdfast.stores.sqlite.connection import Database
from holdfast.stores.sqlite.rows import filter_row, session_of, session_row, to_json
from holdfast.stores.weights import affordable


class SqliteSessions:
    """`ports.Sessions` on SQLite."""

    def __init__(self, database: Database, postings_budget: int) -> None:
        self._database = database
        self._budget = postings_budget

    def get(self, session_id: str) -> Session | None:
        row = self._database.one("session_get", {"id": session_id})
        return session_of(row) if row else None

    def peek(self, session_id: str) -> Session | None:
        return self.get(session_id)

    def ending(self, tail: str) -> list[str]:
        rows = self._database.all("sessions_ending", {"tail": tail[-8:]})
        return [full for (full,) in cast("list[tuple[str]]", rows) if full.replace("-", "").endswith(tail)]

    def with_ref(self, project: str, ref: str) -> Session | None:
        row = self._database.one("session_with_ref", {"project": project, "ref": ref})
        return session_of(row) if row else None

    def newest(self, project: str | None, limit: int) -> list[Session]:
        rows = self._database.all("sessions_newest", {"project": project, "limit": limit})
        return [session_of(row) for row in rows]

    def walk(self, after: str | None, limit: int) -> list[Session]:
        rows = self._database.all("sessions_walk", {"after": after, "limit": limit})
        return [session_of(row) for row in rows]

    def silent(self, since: int, limit: int) -> list[Session]:
        rows = self._database.all("sessions_silent", {"since": since, "limit": limit})
        return [session_of(row) for row in rows]

    def match(self, terms: Sequence[Term], filters: Filters, limit: int) -> Matches:
        with self._database.reading():
            searched = self._affordable(terms)
            stems = [term.stem for term, looked in zip(terms, searched, strict=True) if looked]
            params = filter_row(filters) | {"stems": to_json(stems)}
            rows = cast("list[tuple[str, str, int, int, float]]", self._database.all("sessions_match", params))
            extent = cast("tuple[int, int]", self._database.one("sessions_extent"))
        return gathered(terms, searched, rows, extent, limit)

    def _affordable(self, terms: Sequence[Term]) -> list[bool]:
        """Say which terms to look for: the most frequent are left out when there is too much to read."""
        rows = self._database.all("turns_frequencies", {"stems": to_json([term.stem for term in terms])})
        counts = dict(cast("list[tuple[str, int]]", rows))
        return affordable([counts.get(term.stem, 0) for term in terms], self._budget)

    def insert(self, session: Session) -> None:
        self._database.all("session_insert", session_row(session))

    def replace(self, session: Session) -> None:
        self._database.all("session_replace", session_row(session))
