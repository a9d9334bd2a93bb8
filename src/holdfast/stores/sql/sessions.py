"""Sessions, their turns and findings in a SQL store, as they are read. What a change entails is the backend's."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from holdfast.model.finding import Finding
from holdfast.model.kinds import AGENT_ROLES
from holdfast.model.search import Filters, Matches, Term, TurnPlace
from holdfast.model.session import Session, Turn
from holdfast.model.thread import Thread
from holdfast.stores.sql.matching import IndexedFacet, document_frequencies
from holdfast.stores.sql.tables import NamedFacet, Tables
from holdfast.stores.weights import affordable


class SqlSessions(NamedFacet):
    """`ports.Sessions` over named queries."""

    entries = "sessions"

    def __init__(self, tables: Tables, postings_budget: int) -> None:
        super().__init__(tables)
        self._budget = postings_budget

    def get(self, session_id: str) -> Session | None:
        return self._tables.first(Session, "session_get", {"id": self._tables.id(session_id)})

    def peek(self, session_id: str) -> Session | None:
        return self.get(session_id)

    def with_ref(self, project: str, ref: str) -> Session | None:
        params = {"project": self._tables.text(project), "ref": self._tables.text(ref)}
        return self._tables.first(Session, "session_with_ref", params)

    def newest(self, project: str | None, limit: int) -> list[Session]:
        return self._tables.select(Session, "sessions_newest", {"project": project, "limit": limit})

    def page(self, filters: Filters, before: Session | None, limit: int) -> list[Session]:
        place = {"before_at": before and before.started_at, "before": before and self._tables.id(before.id)}
        params = self._tables.filters(filters) | place | {"limit": limit}
        return self._tables.select(Session, "sessions_page", params)

    def children(self, session_id: str, limit: int) -> list[Session]:
        params = {"id": self._tables.id(session_id), "limit": limit}
        return self._tables.select(Session, "sessions_children", params)

    def walk(self, after: str | None, limit: int) -> list[Session]:
        return self._tables.select(Session, "sessions_walk", {"after": self._tables.id(after), "limit": limit})

    def silent(self, since: int, limit: int) -> list[Session]:
        return self._tables.select(Session, "sessions_silent", {"since": since, "limit": limit})

    def match(self, terms: Sequence[Term], filters: Filters, limit: int) -> Matches:
        from holdfast.stores.session_words import gather_matches  # only who searches whole sessions needs it

        with self._tables.reading():
            is_searched = affordable(document_frequencies(self._tables, "turns", terms), self._budget)
            stems = [term.stem for term, looked_for in zip(terms, is_searched, strict=True) if looked_for]
            params = {"stems": self._tables.texts(stems), "agent_roles": self._tables.texts(AGENT_ROLES)}
            rows = self._tables.all("sessions_match", self._tables.filters(filters) | params)
            [(sessions, size)] = self._tables.all("sessions_extent")
        return gather_matches(terms, is_searched, rows, (sessions, size), limit)

    def insert(self, session: Session) -> None:
        self._tables.all("session_insert", self._tables.row(session))

    def replace(self, session: Session) -> None:
        self._tables.all("session_replace", self._tables.row(session))


class SqlTurns(IndexedFacet):
    """`ports.Turns` over named queries, but for what changes them."""

    entries = "turns"

    def get(self, ids: Sequence[str]) -> list[Turn]:
        return self._tables.in_order(Turn, "turns_get", ids)

    def walk(self, after: str | None, limit: int) -> list[Turn]:
        return self._walk.page(Turn, after, limit)

    def of(self, session_id: str) -> list[Turn]:
        return self._tables.select(Turn, "turns_of", {"session": self._tables.id(session_id)})

    def following(self, session_id: str, after: str | None, limit: int) -> list[Turn]:
        params = {"session": self._tables.id(session_id), "after": self._tables.id(after), "limit": limit}
        return self._tables.select(Turn, "turns_following", params)

    def leading(self, session_id: str, upto: str, limit: int) -> list[Turn]:
        params = {"session": self._tables.id(session_id), "upto": self._tables.id(upto), "limit": limit}
        return self._tables.select(Turn, "turns_leading", params)[::-1]

    def with_ref(self, session_id: str, ref: str) -> Turn | None:
        params = {"session": self._tables.id(session_id), "ref": self._tables.text(ref)}
        return self._tables.first(Turn, "turn_with_ref", params)

    def containing(self, text: str) -> list[Turn]:
        return self._tables.select(Turn, "turns_containing", {"text": self._tables.text(text)})

    def places(self, ids: Sequence[str]) -> list[TurnPlace]:
        return self._tables.in_order(TurnPlace, "turns_places", ids)

    def last(self, sessions: Sequence[str], limit: int) -> list[str]:
        params = {"sessions": self._tables.ids(sessions), "limit": limit}
        return [turn_id for (turn_id,) in self._tables.all("turns_last", params)]


class SqlThreads(NamedFacet):
    """`ports.Threads` over named queries."""

    entries = "threads"

    def get(self, ids: Sequence[str]) -> list[Thread]:
        return self._tables.in_order(Thread, "threads_get", ids)

    def of(self, session_id: str) -> list[Thread]:
        return self._tables.select(Thread, "threads_of", {"session": self._tables.id(session_id)})

    def newest(self, limit: int) -> list[Thread]:
        return self._tables.select(Thread, "threads_newest", {"limit": limit})

    def of_turns(self, ids: Sequence[str]) -> dict[str, str]:
        rows = self._tables.all("threads_of_turns", {"ids": self._tables.ids(ids)}) if ids else []
        return {turn: thread for turn, thread in rows if thread}

    def of_memories(self, ids: Sequence[str]) -> dict[str, str]:
        return dict(self._tables.all("threads_of_memories", {"ids": self._tables.ids(ids)})) if ids else {}

    def put(self, threads: Sequence[Thread]) -> None:
        self._tables.put("thread_put", threads)
        self._tables.many("thread_memory_clear", ({"id": thread.id} for thread in threads))
        pairs = (
            {"id": thread.id, "memory": statement.memory}
            for thread in threads
            for statement in thread.statements
            if statement.memory
        )
        self._tables.many("thread_memory_put", pairs)

    def delete(self, ids: Sequence[str]) -> None:
        self._tables.all("threads_delete", {"ids": self._tables.ids(ids)})


class SqlFindings(NamedFacet, ABC):
    """`ports.Findings` over named queries."""

    entries = "findings"

    def get(self, ids: Sequence[str]) -> list[Finding]:
        return self._tables.in_order(Finding, "findings_get", ids)

    def of(self, session_id: str, after: str | None, limit: int) -> list[Finding]:
        params = {"session": self._tables.id(session_id), "after": self._tables.id(after), "limit": limit}
        return self._tables.select(Finding, "findings_of", params)

    def latest(self, session_id: str, limit: int) -> list[Finding]:
        params = {"session": self._tables.id(session_id), "limit": limit}
        return self._tables.select(Finding, "findings_latest", params)[::-1]

    def from_turns(self, ids: Sequence[str]) -> list[Finding]:
        params = {"ids": self._tables.ids(ids)}
        return self._tables.select(Finding, "findings_from_turns", params) if ids else []

    def behind(self, memory_ids: Sequence[str]) -> list[Finding]:
        return self._tables.select(Finding, "findings_behind", {"ids": self._tables.ids(memory_ids)})

    def saying(self, fingerprints: Sequence[str]) -> list[Finding]:
        params = {"fingerprints": self._tables.texts(fingerprints)}
        return self._tables.select(Finding, "findings_saying", params)

    def unpromoted(self, since: int, limit: int) -> list[Finding]:
        return self._tables.select(Finding, "findings_unpromoted", {"since": since, "limit": limit})

    def put(self, findings: Sequence[Finding]) -> None:
        self._tables.put("finding_put", findings)
        self._put_evidence(findings)

    def delete(self, ids: Sequence[str]) -> None:
        self._tables.all("findings_delete", {"ids": self._tables.ids(ids)})

    @abstractmethod
    def _put_evidence(self, findings: Sequence[Finding]) -> None:
        """Note where findings were said, instead of what was noted of them before."""
