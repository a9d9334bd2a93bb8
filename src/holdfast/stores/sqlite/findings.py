"""The findings of an embedded store: evidence has rows of its own, and is sealed with its finding."""

from collections.abc import Sequence
from functools import partial

from holdfast.model.finding import Finding
from holdfast.model.type_hints import TYPE_CHECKING
from holdfast.stores.sql.sessions import SqlFindings
from holdfast.stores.sqlite.rows import FINDING_SEAL, SCRUB_PENDING, row_of, value_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from holdfast.stores.sqlite.connection import Value

finding_of = partial(value_of, Finding)
finding_row: "Callable[[Finding], dict[str, Any]]" = row_of


class SqliteFindings(SqlFindings):
    """`ports.Findings` on SQLite."""

    def delete(self, ids: Sequence[str]) -> None:
        super().delete(ids)
        self._tables.note(SCRUB_PENDING, 1)

    def _put_evidence(self, findings: Sequence[Finding]) -> None:
        self._tables.many("evidence_clear", ({"id": finding.id} for finding in findings))
        self._tables.many("evidence_put", (row for finding in findings for row in evidence_rows(finding)))


def evidence_rows(finding: Finding) -> "list[Mapping[str, Value]]":
    """Write where a finding was said."""
    return [
        {"id": finding.id, "place": place, "turn": evidence.turn, "start": evidence.start, "stop": evidence.end}
        for place, evidence in enumerate(finding.evidence)
    ]


__all__ = ["FINDING_SEAL", "SqliteFindings", "evidence_rows", "finding_of", "finding_row"]
