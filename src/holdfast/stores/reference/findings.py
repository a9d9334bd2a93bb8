"""The findings of the reference store."""

from collections.abc import Sequence

from holdfast.model.finding import Finding


class ReferenceFindings:
    """`ports.Findings` in a dict, in the order of arrival."""

    def __init__(self) -> None:
        self.rows: dict[str, Finding] = {}

    def get(self, ids: Sequence[str]) -> list[Finding]:
        return [self.rows[finding_id] for finding_id in ids if finding_id in self.rows]

    def ending(self, tail: str) -> list[str]:
        return [full for full in self.rows if full.replace("-", "").endswith(tail)]

    def of(self, session_id: str, after: str | None, limit: int) -> list[Finding]:
        ids = list(self.rows)
        start = ids.index(after) + 1 if after in self.rows else 0
        return [
            self.rows[finding_id] for finding_id in ids[start:] if self.rows[finding_id].session == session_id
        ][:limit]

    def latest(self, session_id: str, limit: int) -> list[Finding]:
        return [finding for finding in self.rows.values() if finding.session == session_id][-limit:]

    def from_turns(self, ids: Sequence[str]) -> list[Finding]:
        return [finding for finding in self.rows.values() if any(place.turn in ids for place in finding.evidence)]

    def behind(self, memory_ids: Sequence[str]) -> list[Finding]:
        return [finding for finding in self.rows.values() if finding.memory in memory_ids]

    def saying(self, fingerprints: Sequence[str]) -> list[Finding]:
        return [finding for finding in self.rows.values() if finding.fingerprint in fingerprints]

    def unpromoted(self, since: int, limit: int) -> list[Finding]:
        findings = [
            finding for finding in self.rows.values() if finding.memory is None and finding.created_at >= since
        ]
        return sorted(findings, key=lambda finding: finding.created_at)[::-1][:limit]

    def put(self, findings: Sequence[Finding]) -> None:
        for finding in findings:
            self.rows[finding.id] = finding

    def delete(self, ids: Sequence[str]) -> None:
        for finding_id in ids:
            self.rows.pop(finding_id, None)
