"""The findings of an embedded store."""

import json
from collections.abc import Mapping, Sequence

from holdfast.model.finding import Evidence, Finding
from holdfast.model.type_hints import TYPE_CHECKING, cast
from holdfast.stores.sqlite.connection import Database
from holdfast.stores.sqlite.rows import to_json
from holdfast.stores.sqlite.seals import Seal, readable

if TYPE_CHECKING:
    from holdfast.stores.sqlite.connection import Row, Value

FINDING_SEAL = Seal(
    (
        "id",
        "session",
        "kind",
        "content",
        "fingerprint",
        "evidence",
        "importance",
        "confidence",
        "signals",
        "files",
        "created_at",
        "memory",
    )
)
"""The evidence is sealed with its finding."""


class SqliteFindings:
    """`ports.Findings` on SQLite."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, ids: Sequence[str]) -> list[Finding]:
        found = {one.id: one for one in self._select("findings_get", {"ids": to_json(list(ids))})}
        return [found[finding_id] for finding_id in ids if finding_id in found]

    def ending(self, tail: str) -> list[str]:
        rows = self._database.all("findings_ending", {"tail": tail[-8:]})
        return [full for (full,) in cast("list[tuple[str]]", rows) if full.replace("-", "").endswith(tail)]

    def of(self, session_id: str, after: str | None, limit: int) -> list[Finding]:
        return self._select("findings_of", {"session": session_id, "after": after, "limit": limit})

    def latest(self, session_id: str, limit: int) -> list[Finding]:
        return self._select("findings_latest", {"session": session_id, "limit": limit})[::-1]

    def from_turns(self, ids: Sequence[str]) -> list[Finding]:
        return self._select("findings_from_turns", {"ids": to_json(list(ids))})

    def behind(self, memory_ids: Sequence[str]) -> list[Finding]:
        return self._select("findings_behind", {"ids": to_json(list(memory_ids))})

    def saying(self, fingerprints: Sequence[str]) -> list[Finding]:
        return self._select("findings_saying", {"fingerprints": to_json(list(fingerprints))})

    def unpromoted(self, since: int, limit: int) -> list[Finding]:
        return self._select("findings_unpromoted", {"since": since, "limit": limit})

    def put(self, findings: Sequence[Finding]) -> None:
        self._database.many("finding_put", map(finding_row, findings))
        self._database.many("evidence_clear", ({"id": finding.id} for finding in findings))
        self._database.many("evidence_put", (row for finding in findings for row in evidence_rows(finding)))

    def delete(self, ids: Sequence[str]) -> None:
        self._database.all("findings_delete", {"ids": to_json(list(ids))})
        self._database.all("meta_set", {"key": "scrub_pending", "value": 1})

    def _select(self, query: str, params: "Mapping[str, Value]") -> list[Finding]:
        return readable(self._database, "finding", finding_of, self._database.all(query, params))


def finding_of(row: "Row") -> Finding:
    """Read a finding."""
    FINDING_SEAL.check(row)
    finding_id, session, kind, content, fingerprint, evidence, importance, confidence, *rest = row[:-1]
    signals, files, created_at, memory = cast("tuple[str, str, int, str | None]", tuple(rest))
    places = (Evidence(turn=turn, start=start, end=end) for turn, start, end in json.loads(cast(str, evidence)))
    return Finding(
        id=cast(str, finding_id),
        session=cast(str, session),
        kind=cast(str, kind),
        content=cast(str, content),
        fingerprint=cast(str, fingerprint),
        evidence=tuple(places),
        importance=cast(float, importance),
        confidence=cast(float, confidence),
        signals=_texts(signals),
        files=_texts(files),
        created_at=created_at,
        memory=memory,
    )


def _texts(column: str) -> tuple[str, ...]:
    return () if column == "[]" else tuple(json.loads(column))


def finding_row(finding: Finding) -> "Mapping[str, Value]":
    """Write a finding; its evidence has rows of its own."""
    row: dict[str, Value] = {
        "id": finding.id,
        "session": finding.session,
        "kind": finding.kind,
        "importance": float(finding.importance),
        "confidence": float(finding.confidence),
        "created_at": finding.created_at,
        "memory": finding.memory,
        "fingerprint": finding.fingerprint,
        "signals": to_json(list(finding.signals)),
        "files": to_json(list(finding.files)),
        "content": finding.content,
    }
    evidence = to_json([[one.turn, one.start, one.end] for one in finding.evidence])
    return {**row, "seal": FINDING_SEAL.of_row({**row, "evidence": evidence})}


def evidence_rows(finding: Finding) -> "list[Mapping[str, Value]]":
    """Write where a finding was said."""
    return [
        {"id": finding.id, "place": place, "turn": one.turn, "start": one.start, "stop": one.end}
        for place, one in enumerate(finding.evidence)
    ]
