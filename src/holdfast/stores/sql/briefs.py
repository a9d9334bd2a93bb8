"""What a SQL store keeps for briefs: aliases, and receipts with their latencies."""

from collections.abc import Iterable, Mapping, Sequence

from holdfast.model.brief import Latency, Receipt, ReceiptItem
from holdfast.model.limits import RECEIPTS
from holdfast.model.value import replace
from holdfast.stores.sql.tables import Facet


class SqlAliases(Facet):
    """`ports.Aliases` over named queries."""

    def all(self) -> dict[str, tuple[str, ...]]:
        meanings: dict[str, tuple[str, ...]] = {}
        for word, meaning in self._pairs():
            meanings[word] = (*meanings.get(word, ()), meaning)
        return meanings

    def add(self, word: str, meaning: str) -> bool:
        return bool(self._tables.all("alias_add", self._row(word, meaning)))

    def remove(self, word: str, meaning: str | None) -> int:
        return len(self._tables.all("alias_remove", {"word": word, "meaning": meaning}))

    def _pairs(self) -> Iterable[tuple[str, str]]:
        """Return every word with one of its meanings."""
        return ((word, meaning) for word, meaning in self._tables.all("aliases_all"))

    def _row(self, word: str, meaning: str) -> Mapping[str, object]:
        return {"word": word, "meaning": meaning}


class SqlReceipts(Facet):
    """`ports.Receipts` over named queries."""

    def record(self, receipt: Receipt) -> None:
        self._tables.all("receipt_record", self._tables.row(receipt))
        self._trim()

    def recent(self, limit: int) -> list[Receipt]:
        with self._tables.reading():
            receipts = self._tables.select(Receipt, "receipts_recent", {"limit": limit})
            fetches = self._fetches({item.id for receipt in receipts for item in receipt.items})
        return [replace(receipt, items=_with_fetches(receipt, fetches)) for receipt in receipts]

    def latencies(self, limit: int) -> list[Latency]:
        return self._tables.select(Latency, "receipt_latencies", {"limit": limit})

    def _trim(self) -> None:
        self._tables.all("receipts_trim", {"kept": RECEIPTS})

    def _fetches(self, ids: Iterable[str]) -> dict[str, list[int]]:
        """Return when memories were read, by their ids."""
        fetches: dict[str, list[int]] = {}
        for memory_id, at in self._tables.all("accesses_fetched", {"ids": self._tables.texts(sorted(ids))}):
            fetches.setdefault(memory_id, []).append(at)
        return fetches


def _with_fetches(receipt: Receipt, fetches: Mapping[str, Sequence[int]]) -> tuple[ReceiptItem, ...]:
    def first_since(memory_id: str) -> int | None:
        return min((at for at in fetches.get(memory_id, ()) if at >= receipt.at), default=None)

    return tuple(replace(item, fetched_at=first_since(item.id)) for item in receipt.items)
