"""What the reference store keeps about its own use."""

import secrets
from collections.abc import Mapping, Sequence

from holdfast.model.limits import ACCESS_ROWS, AUDIT_EVENTS, AUDIT_KEPT
from holdfast.model.records import TOTALLED, Access, Event, Sealed
from holdfast.model.value import replace
from holdfast.stores.chain import ROOT, link
from holdfast.stores.tombstone import mark_of


class ReferenceTombstones:
    """`ports.Tombstones` in a set."""

    def __init__(self) -> None:
        self.marks: set[bytes] = set()
        self.key = secrets.token_bytes(32)

    def add(self, fingerprints: Sequence[str]) -> None:
        self.marks.update(map(self._mark, fingerprints))

    def standing(self, fingerprints: Sequence[str]) -> set[str]:
        return {fingerprint for fingerprint in fingerprints if self._mark(fingerprint) in self.marks}

    def count(self) -> int:
        return len(self.marks)

    def sealed(self) -> Sealed:
        return Sealed(self.key, frozenset(self.marks))

    def adopt(self, sealed_marks: Sealed) -> None:
        self.key, self.marks = sealed_marks.key, set(sealed_marks.marks)

    def remove(self, fingerprints: Sequence[str]) -> None:
        self.marks.difference_update(map(self._mark, fingerprints))

    def _mark(self, fingerprint: str) -> bytes:
        return mark_of(self.key, fingerprint)


class ReferenceAudit:
    """`ports.AuditLog` in a list of (number, event, hash)."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, Event, str]] = []
        self.anchor = ROOT
        self.totals: dict[str, int] = {}

    def record(self, event: Event) -> None:
        number, previous = (self.rows[-1][0], self.rows[-1][2]) if self.rows else (0, self.anchor)
        self.rows.append((number + 1, event, _link(previous, event)))
        if event.action in TOTALLED:
            self.totals = {**self.totals, event.action: self.totals.get(event.action, 0) + len(event.ids)}
        if len(self.rows) > AUDIT_EVENTS:
            self.anchor = self.rows[-AUDIT_KEPT - 1][2]
            self.rows = self.rows[-AUDIT_KEPT:]

    def events(self, limit: int) -> list[Event]:
        return [event for _, event, _ in reversed(self.rows)][:limit]

    def after(self, number: int, limit: int) -> list[tuple[int, Event]]:
        return [(event_number, event) for event_number, event, _ in self.rows if event_number > number][:limit]

    def span(self) -> tuple[int, int]:
        return (self.rows[0][0], self.rows[-1][0]) if self.rows else (1, 0)

    def broken_at(self) -> int | None:
        previous = self.anchor
        for number, event, stored_hash in self.rows:
            if stored_hash != _link(previous, event):
                return number
            previous = stored_hash
        return None


class ReferenceAccesses:
    """`ports.AccessLog` in a list."""

    def __init__(self) -> None:
        self.rows: list[Access] = []

    def record(self, accesses: Sequence[Access]) -> None:
        self.rows = [*self.rows, *accesses][-ACCESS_ROWS:]

    def forget(self, ids: Sequence[str]) -> None:
        self.rows = [replace(access, query=None) for access in self.rows if access.memory not in ids]

    def reword(self, queries: Mapping[str, str | None]) -> None:
        self.rows = [replace(access, query=queries.get(access.query or "", access.query)) for access in self.rows]

    def recent(self, limit: int) -> list[Access]:
        return self.rows[::-1][:limit]


class ReferenceSpooled:
    """`ports.Spooled` in a dictionary: when each entry was noted, by spool and sequence."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, int], int] = {}

    def claim(self, spool: str, sequence: int, at: int) -> bool:
        if (spool, sequence) in self.rows:
            return False
        self.rows[spool, sequence] = at
        return True

    def noted(self) -> list[tuple[str, int, int]]:
        return sorted((spool, sequence, at) for (spool, sequence), at in self.rows.items())

    def release(self, before: int, present: Sequence[str]) -> None:
        self.rows = {key: at for key, at in self.rows.items() if at >= before or key[0] in present}


def _link(previous: str, event: Event) -> str:
    return link(previous, event.action, event.actor, event.at, event.ids, event.detail)
