"""What a SQL store keeps about its own use: forgotten things, entries of spools, figures."""

from collections import Counter
from collections.abc import Sequence

from holdfast.model.kinds import CANDIDATE
from holdfast.model.limits import ACCESS_ROWS
from holdfast.model.records import Counts, Sealed
from holdfast.stores.hashes import mark_of
from holdfast.stores.sql.tables import Facet, Tables


class SqlSpooled(Facet):
    """`ports.Spooled` over named queries."""

    def claim(self, spool: str, sequence: int, at: int) -> bool:
        return self._tables.one("spooled_claim", {"spool": spool, "sequence": sequence, "at": at}) is not None

    def noted(self) -> list[tuple[str, int, int]]:
        return [(spool, sequence, at) for spool, sequence, at in self._tables.all("spooled_noted")]

    def release(self, before: int, present: Sequence[str]) -> None:
        self._tables.all("spooled_release", {"before": before, "present": self._tables.texts(present)})


class SqlTombstones(Facet):
    """`ports.Tombstones`, as far as they are read: the fingerprint is keyed, so that a guess at the text needs the
    store."""

    def __init__(self, tables: Tables, key: bytes) -> None:
        super().__init__(tables)
        self._key = key

    def count(self) -> int:
        return self._tables.number("tombstones_count")

    def sealed(self) -> Sealed:
        return Sealed(self._key, frozenset(self.marks()))

    def marks(self) -> set[bytes]:
        """Return every mark that stands."""
        return {bytes(mark) for (mark,) in self._tables.all("tombstones_all")}

    def _marks_of(self, fingerprints: Sequence[str]) -> list[bytes]:
        return [mark_of(self._key, fingerprint) for fingerprint in fingerprints]


def counted(tables: Tables, now: int, *, conflicts: int, proposals: int) -> Counts:
    """Return how many there are of everything, inside one snapshot; what waits for a person its facets count."""
    by_kind: Counter[str] = Counter()
    by_status: Counter[str] = Counter()
    by_trust: Counter[str] = Counter()
    candidates: Counter[str] = Counter()
    for kind, status, trust, number in tables.all("memories_grouped", {"now": now}):
        by_kind[kind] += number
        by_status[status] += number
        by_trust[trust] += number
        candidates[trust] += number if status == CANDIDATE else 0
    [(memories, superseded, expired, faded, reads)] = tables.all("memories_totals", {"now": now})
    [records] = tables.all("record_counts", {"accesses": ACCESS_ROWS})
    sessions, turns, tombstones, audit_events, accesses, findings = records
    return Counts(
        memories=memories - superseded - expired - faded,
        superseded=superseded,
        expired=expired,
        faded=faded,
        by_kind=dict(by_kind.most_common()),
        by_status=dict(by_status.most_common()),
        by_trust=dict(by_trust.most_common()),
        candidates={trust: number for trust, number in candidates.most_common() if number},
        reads=reads,
        sessions=sessions,
        turns=turns,
        tombstones=tombstones,
        audit_events=audit_events,
        accesses=accesses,
        conflicts=conflicts,
        findings=findings,
        proposals=proposals,
    )
