"""What a store on PostgreSQL keeps for briefs: aliases, and receipts with their latencies."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from psycopg.types.json import Json

from holdfast.model.brief import Latency, Receipt, ReceiptItem
from holdfast.model.limits import RECEIPTS
from holdfast.stores.postgres.connection import Database

if TYPE_CHECKING:
    from holdfast.stores.postgres.connection import Row


class PostgresAliases:
    """`ports.Aliases` on PostgreSQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for word, meaning in self._database.all("aliases_all"):
            found[word] = (*found.get(word, ()), meaning)
        return found

    def add(self, word: str, meaning: str) -> bool:
        return bool(self._database.all("alias_add", {"word": word, "meaning": meaning}))

    def remove(self, word: str, meaning: str | None) -> int:
        return len(self._database.all("alias_remove", {"word": word, "meaning": meaning}))


class PostgresReceipts:
    """`ports.Receipts` on PostgreSQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def record(self, receipt: Receipt) -> None:
        self._database.all("receipt_record", _receipt_row(receipt))
        if self._database.alone("trim receipt"):
            self._database.all("receipts_trim", {"kept": RECEIPTS})

    def recent(self, limit: int) -> list[Receipt]:
        with self._database.reading():
            rows = self._database.all("receipts_recent", {"limit": limit})
            fetched = self._fetched(sorted({item[0] for row in rows for item in row[-1]}))
        return [_receipt(row, fetched) for row in rows]

    def latencies(self, limit: int) -> list[Latency]:
        rows = self._database.all("receipt_latencies", {"limit": limit})
        return [Latency(took_ms=took, cut=cut, degraded=degraded) for took, cut, degraded in rows]

    def _fetched(self, ids: Sequence[str]) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for memory, at in self._database.all("accesses_fetched", {"ids": list(ids)}):
            found.setdefault(memory, []).append(at)
        return found


def _receipt_row(receipt: Receipt) -> dict[str, object]:
    return {
        "id": receipt.id,
        "at": receipt.at,
        "agent": receipt.agent,
        "session": receipt.session,
        "prompted": receipt.prompted,
        "budget": receipt.budget,
        "tokens": receipt.tokens,
        "took_ms": receipt.took_ms,
        "cut": receipt.cut,
        "degraded": receipt.degraded,
        "items": Json([[one.id, one.kind, one.tier, one.score, dict(one.why)] for one in receipt.items]),
    }


def _receipt(row: "Row", fetched: Mapping[str, Sequence[int]]) -> Receipt:
    receipt_id, moment, agent, session, prompted, budget, tokens, took_ms, cut, degraded, items = row
    return Receipt(
        id=receipt_id,
        at=moment,
        agent=agent,
        session=session,
        prompted=prompted,
        budget=budget,
        tokens=tokens,
        took_ms=took_ms,
        cut=cut,
        degraded=degraded,
        items=tuple(
            ReceiptItem(
                id=one,
                kind=kind,
                tier=tier,
                score=score,
                why=why,
                fetched_at=min((when for when in fetched.get(one, ()) if when >= moment), default=None),
            )
            for one, kind, tier, score, why in items
        ),
    )
