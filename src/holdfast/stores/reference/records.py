"""What the reference store keeps about its own use, and for briefs."""

import secrets
from collections.abc import Mapping, Sequence

from holdfast.model.brief import Latency, Receipt, ReceiptItem
from holdfast.model.limits import ACCESS_ROWS, AUDIT_EVENTS, AUDIT_KEPT, RECEIPTS
from holdfast.model.records import TOTALLED, Access, Event, Sealed
from holdfast.model.value import replace
from holdfast.stores.hashes import ROOT, link, mark_of


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


def _link(previous: str, event: Event) -> str:
    return link(previous, event.action, event.actor, event.at, event.ids, event.detail)


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


class ReferenceAliases:
    """`ports.Aliases` in a set of pairs."""

    def __init__(self) -> None:
        self.rows: set[tuple[str, str]] = set()

    def all(self) -> dict[str, tuple[str, ...]]:
        meanings: dict[str, tuple[str, ...]] = {}
        for word, meaning in sorted(self.rows):
            meanings[word] = (*meanings.get(word, ()), meaning)
        return meanings

    def add(self, word: str, meaning: str) -> bool:
        new = (word, meaning) not in self.rows
        self.rows.add((word, meaning))
        return new

    def remove(self, word: str, meaning: str | None) -> int:
        removed_rows = {row for row in self.rows if row[0] == word and meaning in (None, row[1])}
        self.rows -= removed_rows
        return len(removed_rows)


class ReferenceReceipts:
    """`ports.Receipts` in a list."""

    def __init__(self, accesses: ReferenceAccesses) -> None:
        self.rows: list[Receipt] = []
        self._accesses = accesses

    def record(self, receipt: Receipt) -> None:
        self.rows = [*self.rows, receipt][-RECEIPTS:]

    def recent(self, limit: int) -> list[Receipt]:
        return [self._with_fetches(receipt) for receipt in self.rows[::-1][:limit]]

    def latencies(self, limit: int) -> list[Latency]:
        return [
            Latency(took_ms=receipt.took_ms, cut=receipt.cut, degraded=receipt.degraded)
            for receipt in self.rows[::-1][:limit]
        ]

    def _with_fetches(self, receipt: Receipt) -> Receipt:
        return replace(
            receipt,
            items=tuple(replace(item, fetched_at=self._first_fetch(item, receipt.at)) for item in receipt.items),
        )

    def _first_fetch(self, item: ReceiptItem, since: int) -> int | None:
        return min(
            (
                access.at
                for access in self._accesses.rows
                if access.memory == item.id and access.action == "get" and access.at >= since
            ),
            default=None,
        )
