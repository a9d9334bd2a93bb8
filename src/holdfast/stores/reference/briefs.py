"""What the reference store keeps for briefs."""

from holdfast.model.brief import Latency, Receipt, ReceiptItem
from holdfast.model.limits import RECEIPTS
from holdfast.model.value import replace
from holdfast.stores.reference.records import ReferenceAccesses


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
