"""The findings of a store on PostgreSQL: each holds its evidence; a table of its own leads there from turns."""

from collections.abc import Sequence

from holdfast.model.finding import Finding
from holdfast.stores.sql.findings import SqlFindings


class PostgresFindings(SqlFindings):
    """`ports.Findings` on PostgreSQL."""

    def _put_evidence(self, findings: Sequence[Finding]) -> None:
        self._tables.all("evidence_clear", {"ids": [finding.id for finding in findings]})
        pairs = [(evidence.turn, finding.id) for finding in findings for evidence in finding.evidence]
        turns, ids = zip(*pairs, strict=True) if pairs else ((), ())
        self._tables.all("evidence_put", {"turns": list(turns), "findings": list(ids)})
