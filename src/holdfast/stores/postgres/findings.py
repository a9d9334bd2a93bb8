"""The findings of a store on PostgreSQL."""

from collections.abc import Mapping, Sequence

from holdfast.model.finding import Finding
from holdfast.stores.postgres.connection import Database
from holdfast.stores.postgres.rows import finding_of, finding_row, id_or_none, known_ids


class PostgresFindings:
    """`ports.Findings` on PostgreSQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, ids: Sequence[str]) -> list[Finding]:
        found = {one.id: one for one in self._select("findings_get", {"ids": known_ids(ids)})}
        return [found[finding_id] for finding_id in ids if finding_id in found]

    def ending(self, tail: str) -> list[str]:
        rows = self._database.all("findings_ending", {"tail": tail[-8:]})
        return [full for (full,) in rows if full.replace("-", "").endswith(tail)]

    def of(self, session_id: str, after: str | None, limit: int) -> list[Finding]:
        params = {"session": id_or_none(session_id), "after": id_or_none(after), "limit": limit}
        return self._select("findings_of", params)

    def latest(self, session_id: str, limit: int) -> list[Finding]:
        return self._select("findings_latest", {"session": id_or_none(session_id), "limit": limit})[::-1]

    def from_turns(self, ids: Sequence[str]) -> list[Finding]:
        return self._select("findings_from_turns", {"ids": known_ids(ids)})

    def behind(self, memory_ids: Sequence[str]) -> list[Finding]:
        return self._select("findings_behind", {"ids": known_ids(memory_ids)})

    def saying(self, fingerprints: Sequence[str]) -> list[Finding]:
        return self._select("findings_saying", {"fingerprints": list(fingerprints)})

    def unpromoted(self, since: int, limit: int) -> list[Finding]:
        return self._select("findings_unpromoted", {"since": since, "limit": limit})

    def put(self, findings: Sequence[Finding]) -> None:
        self._database.many("finding_put", map(finding_row, findings))
        self._database.all("evidence_clear", {"ids": [finding.id for finding in findings]})
        said = [(place.turn, finding.id) for finding in findings for place in finding.evidence]
        turns, ids = zip(*said, strict=True) if said else ((), ())
        self._database.all("evidence_put", {"turns": list(turns), "findings": list(ids)})

    def delete(self, ids: Sequence[str]) -> None:
        self._database.all("findings_delete", {"ids": known_ids(ids)})

    def _select(self, query: str, params: Mapping[str, object]) -> list[Finding]:
        return [finding_of(row) for row in self._database.all(query, params)]
