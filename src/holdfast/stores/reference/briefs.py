"""What the reference store keeps for briefs."""

from collections.abc import Mapping, Sequence

from holdfast.model.brief import Latency, Receipt, ReceiptItem
from holdfast.model.limits import BRIEF_TEXTS, RECEIPTS
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
        self.kept_texts: dict[str, str | None] = {}
        self._accesses = accesses

    def record(self, receipt: Receipt, text: str | None = None) -> None:
        self.rows = [*self.rows, receipt][-RECEIPTS:]
        texts = {row.id: self.kept_texts.get(row.id) for row in self.rows[-BRIEF_TEXTS:]}
        self.kept_texts = texts | {receipt.id: text}

    def recent(self, limit: int) -> list[Receipt]:
        return [self._with_fetches(receipt) for receipt in self.rows[::-1][:limit]]

    def of(self, sessions: Sequence[str], limit: int) -> list[Receipt]:
        return [receipt for receipt in self.recent(RECEIPTS) if receipt.session in sessions][:limit]

    def naming(self, entry_id: str, limit: int) -> list[Receipt]:
        receipts = self.recent(RECEIPTS)
        return [receipt for receipt in receipts if any(item.id == entry_id for item in receipt.items)][:limit]

    def get(self, receipt_id: str) -> Receipt | None:
        return next((receipt for receipt in self.recent(RECEIPTS) if receipt.id == receipt_id), None)

    def texts(self, ids: Sequence[str] | None = None) -> dict[str, str]:
        rows = [row.id for row in self.rows[::-1] if ids is None or row.id in ids]
        return {receipt_id: text for receipt_id in rows if (text := self.kept_texts.get(receipt_id))}

    def unkept(self, ids: Sequence[str]) -> set[str]:
        return {row.id for row in self.rows if row.id in ids and self.kept_texts.get(row.id) is None}

    def reword(self, texts: Mapping[str, str]) -> None:
        for receipt_id, text in texts.items():
            if self.kept_texts.get(receipt_id) is not None:
                self.kept_texts[receipt_id] = text

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
