"""The sessions of an embedded store."""

from collections.abc import Mapping, Sequence

from holdfast.model.search import Filters, Matches, Term
from holdfast.model.session import Session
from holdfast.model.type_hints import TYPE_CHECKING, cast
from holdfast.stores.session_words import gathered
from holdfast.stores.sqlite.connection import Database
from holdfast.stores.sqlite.rows import filter_row, session_of, session_row, to_json
from holdfast.stores.sqlite.seals import readable
from holdfast.stores.weights import affordable

if TYPE_CHECKING:
    from holdfast.stores.sqlite.connection import Value


class SqliteSessions:
    """`ports.Sessions` on SQLite."""

    def __init__(self, database: Database, postings_budget: int) -> None:
        self._database = database
        self._budget = postings_budget

    def get(self, session_id: str) -> Session | None:
        return next(iter(self._select("session_get", {"id": session_id})), None)

    def peek(self, session_id: str) -> Session | None:
        return self.get(session_id)

    def ending(self, tail: str) -> list[str]:
        rows = self._database.all("sessions_ending", {"tail": tail[-8:]})
        return [full for (full,) in cast("list[tuple[str]]", rows) if full.replace("-", "").endswith(tail)]

    def with_ref(self, project: str, ref: str) -> Session | None:
        return next(iter(self._select("session_with_ref", {"project": project, "ref": ref})), None)

    def newest(self, project: str | None, limit: int) -> list[Session]:
        return self._select("sessions_newest", {"project": project, "limit": limit})

    def walk(self, after: str | None, limit: int) -> list[Session]:
        return self._select("sessions_walk", {"after": after, "limit": limit})

    def silent(self, since: int, limit: int) -> list[Session]:
        return self._select("sessions_silent", {"since": since, "limit": limit})

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

    def _select(self, query: str, params: "Mapping[str, Value]") -> list[Session]:
        return readable(self._database, "session", session_of, self._database.all(query, params))

    def insert(self, session: Session) -> None:
        self._database.all("session_insert", session_row(session))

    def replace(self, session: Session) -> None:
        self._database.all("session_replace", session_row(session))
