"""The sessions of an embedded store."""

from typing import cast

from holdfast.model.session import Session
from holdfast.stores.sqlite.connection import Database
from holdfast.stores.sqlite.rows import session_of, session_row


class SqliteSessions:
    """`ports.Sessions` on SQLite."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, session_id: str) -> Session | None:
        row = self._database.one("session_get", {"id": session_id})
        return session_of(row) if row else None

    def ending(self, tail: str) -> list[str]:
        rows = self._database.all("sessions_ending", {"tail": tail[-8:]})
        return [full for (full,) in cast("list[tuple[str]]", rows) if full.replace("-", "").endswith(tail)]

    def with_ref(self, project: str, ref: str) -> Session | None:
        row = self._database.one("session_with_ref", {"project": project, "ref": ref})
        return session_of(row) if row else None

    def newest(self, project: str | None, limit: int) -> list[Session]:
        rows = self._database.all("sessions_newest", {"project": project, "limit": limit})
        return [session_of(row) for row in rows]

    def insert(self, session: Session) -> None:
        self._database.all("session_insert", session_row(session))

    def replace(self, session: Session) -> None:
        self._database.all("session_replace", session_row(session))
