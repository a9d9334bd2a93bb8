"""The findings of a SQL store; how their evidence is kept is the backend's."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from holdfast.model.finding import Finding
from holdfast.stores.sql.tables import Tables


class SqlFindings(ABC):
    """`ports.Findings` over named queries."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def get(self, ids: Sequence[str]) -> list[Finding]:
        return self._tables.in_order(Finding, "findings_get", ids)

    def ending(self, tail: str) -> list[str]:
        return self._tables.ending("findings_ending", tail)

    def of(self, session_id: str, after: str | None, limit: int) -> list[Finding]:
        params = {"session": self._tables.id(session_id), "after": self._tables.id(after), "limit": limit}
        return self._tables.select(Finding, "findings_of", params)

    def latest(self, session_id: str, limit: int) -> list[Finding]:
        params = {"session": self._tables.id(session_id), "limit": limit}
        return self._tables.select(Finding, "findings_latest", params)[::-1]

    def from_turns(self, ids: Sequence[str]) -> list[Finding]:
        return self._tables.select(Finding, "findings_from_turns", {"ids": self._tables.ids(ids)})

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
