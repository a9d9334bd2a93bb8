"""What a SQL store keeps about its own use: forgotten things, entries of spools, figures, the chain of its log.

Each event's hash covers the one before it. A mark is a fingerprint under a store's own key, which reveals nothing.
"""

import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence

from holdfast.model.ids import digest_bytes
from holdfast.model.kinds import CANDIDATE
from holdfast.model.limits import ACCESS_ROWS
from holdfast.model.memory import Fading, Memory
from holdfast.model.records import Counts, Sealed, Totals
from holdfast.stores.sql.tables import Facet, Tables

ROOT = "0" * 64
"""What the first event's hash covers."""


def link(previous: str, action: str, actor: str, at: int, ids: Sequence[str], detail: Mapping[str, object]) -> str:
    """Return the hash of an event that follows the one with hash `previous`."""
    body = json.dumps(
        [action, actor, at, list(ids), detail], sort_keys=True, ensure_ascii=False, separators=(",", ":")
    )
    return digest_bytes(f"{previous}\n{body}".encode())


def mark_of(key: bytes, fingerprint: str) -> bytes:
    """Return the mark of a fingerprint; without the key nobody can check a guess at the text."""
    import hmac  # OpenSSL comes with it, and most processes forget nothing

    return hmac.digest(key, fingerprint.encode(), "sha256")


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
    [(memories, superseded_count, expired_count, faded_count, reads)] = tables.all("memories_totals", {"now": now})
    [records] = tables.all("record_counts", {"accesses": ACCESS_ROWS})
    sessions, turns, tombstones, audit_events, accesses, findings = records
    return Counts(
        memories=memories - superseded_count - expired_count - faded_count,
        superseded=superseded_count,
        expired=expired_count,
        faded=faded_count,
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


READS = "total_reads"
"""Under which name reads are counted."""

PROMOTIONS = "total_promote"
"""Under which name promotions are counted."""

EVICTIONS = "total_evict"
"""Under which name evictions are counted."""

COMPACTED = "compacted_at"
"""Under which name a store remembers when it was last compacted."""

TENDED = "tended_at"
"""Under which name it remembers when it was last looked after."""

FADING = "fading"
"""Under which name a store remembers by which rules its memories fade."""


class SqlUpkeep(Facet, ABC):
    """`ports.Upkeep` over named queries, but for figures and chores."""

    def __init__(self, tables: Tables, fading: Fading | None = None) -> None:
        super().__init__(tables)
        self._fading = fading

    def fact(self, name: str) -> int | str | None:
        value: int | str | None = self._tables.fact(name)
        return value

    def note(self, name: str, value: int | str) -> None:
        self._tables.note(name, value)

    def totals(self) -> Totals:
        with self._tables.reading():
            counts = self._counts()
            compacted_at, tended_at = self.fact(COMPACTED), self.fact(TENDED)
        return Totals(
            promotions=counts.get(PROMOTIONS, 0),
            evictions=counts.get(EVICTIONS, 0),
            reads=counts.get(READS, 0),
            compacted_at=compacted_at if isinstance(compacted_at, int) else None,
            tended_at=tended_at if isinstance(tended_at, int) else None,
        )

    def resume(self, totals: Totals) -> None:
        self._set_counts({PROMOTIONS: totals.promotions, EVICTIONS: totals.evictions, READS: totals.reads})
        for name, moment in ((COMPACTED, totals.compacted_at), (TENDED, totals.tended_at)):
            if moment is not None:
                self.note(name, moment)

    @abstractmethod
    def _counts(self) -> Mapping[str, int]:
        """Return how often each thing was done since the store was made."""

    @abstractmethod
    def _set_counts(self, counts: Mapping[str, int]) -> None:
        """Go on counting from here."""

    def growth(self, step: int) -> dict[int, int]:
        return dict(self._tables.all("memories_growth", {"step": step}))

    def fading(self, after: int, until: int) -> int:
        return self._tables.number("memories_fading", {"after": after, "until": until})

    def memories(self) -> int:
        return self._tables.number("memories_count")

    def accesses(self) -> int:
        return self._tables.number("accesses_count", {"kept": ACCESS_ROWS})

    def refaded(self) -> bool:
        return self._fading is None or self.fact(FADING) == self._fading.name

    def every(self, after: int, limit: int) -> list[tuple[int, Memory]]:
        return self._numbered("memories_numbered_after", after=after, limit=limit)

    def over(self, at: int, after: int, limit: int) -> list[tuple[int, Memory]]:
        return self._numbered("memories_over", at=at, after=after, limit=limit)

    def promoted(self) -> int:
        return self._tables.number("promoted_count")

    def promoted_after(self, after: int, limit: int) -> list[tuple[int, Memory]]:
        return self._numbered("promoted_after", after=after, limit=limit)

    def unmerged(self, after: int, limit: int) -> list[tuple[int, Memory]]:
        return self._numbered("memories_unmerged", after=after, limit=limit)

    def least_read(self, passed: int, limit: int) -> list[Memory]:
        return self._tables.select(Memory, "memories_least_read", {"passed": passed, "limit": limit})

    def spare_turns(self, ended_before: int | None, limit: int) -> list[tuple[str, int]]:
        rows = self._tables.all("turns_spare", {"ended_before": ended_before, "limit": limit})
        return [(turn_id, size) for turn_id, size in rows]

    def drop_accesses(self, limit: int) -> None:
        self._tables.all("accesses_oldest", {"limit": limit})

    def _numbered(self, query: str, **params: int) -> list[tuple[int, Memory]]:
        return self._tables.numbered(Memory, self._tables.all(query, params))
