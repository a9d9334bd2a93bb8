"""What a SQL store keeps for briefs: aliases, and receipts with their latencies."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from holdfast.model.brief import Latency, Receipt, ReceiptItem
from holdfast.model.limits import BRIEF_TEXTS, RECEIPTS
from holdfast.stores.sql.tables import Facet


class SqlAliases(Facet):
    """`ports.Aliases` over named queries."""

    def all(self) -> dict[str, tuple[str, ...]]:
        meanings: dict[str, tuple[str, ...]] = {}
        for word, meaning in self._tables.all("aliases_all"):
            meanings[word] = (*meanings.get(word, ()), meaning)
        return meanings

    def add(self, word: str, meaning: str) -> bool:
        return bool(self._tables.all("alias_add", {"word": word, "meaning": meaning}))

    def remove(self, word: str, meaning: str | None) -> int:
        return len(self._tables.all("alias_remove", {"word": word, "meaning": meaning}))


class SqlReceipts(Facet):
    """`ports.Receipts` over named queries."""

    def record(self, receipt: Receipt, text: str | None = None) -> None:
        written_text = None if text is None else self._tables.text(text)
        self._tables.all("receipt_record", self._tables.row(receipt) | {"text": written_text})
        # At once: what goes with a memory is found by the texts that are kept.
        self._tables.all("receipt_texts_trim", {"kept": BRIEF_TEXTS})
        self._trim()

    def recent(self, limit: int) -> list[Receipt]:
        return self._listed("receipts_recent", limit=limit)

    def of(self, sessions: Sequence[str], limit: int) -> list[Receipt]:
        return self._listed("receipts_of", sessions=self._tables.texts(sessions), limit=limit)

    def naming(self, entry_id: str, limit: int) -> list[Receipt]:
        return self._listed("receipts_naming", entry=self._tables.text(entry_id), limit=limit)

    def get(self, receipt_id: str) -> Receipt | None:
        return next(iter(self._listed("receipts_get", id=self._tables.text(receipt_id))), None)

    def texts(self, ids: Sequence[str] | None = None) -> dict[str, str]:
        written_ids = None if ids is None else self._tables.texts(ids)
        return dict(self._tables.all("receipt_texts", {"ids": written_ids}))

    def unkept(self, ids: Sequence[str]) -> set[str]:
        rows = self._tables.all("receipt_texts_kept", {"ids": self._tables.texts(ids)})
        return {receipt_id for receipt_id, is_unkept in rows if is_unkept}

    def reword(self, texts: Mapping[str, str]) -> None:
        for receipt_id, text in texts.items():
            self._tables.all("receipt_reword", {"id": receipt_id, "text": self._tables.text(text)})

    def _listed(self, query: str, **params: object) -> list[Receipt]:
        with self._tables.reading():
            receipts = self._tables.select(Receipt, query, params)
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
