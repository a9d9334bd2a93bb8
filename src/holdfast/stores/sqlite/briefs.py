"""What an embedded store keeps for briefs: aliases, and receipts with their latencies."""

import json
from collections.abc import Mapping, Sequence

from holdfast.model.brief import Latency, Receipt, ReceiptItem
from holdfast.model.limits import RECEIPTS
from holdfast.model.type_hints import TYPE_CHECKING, cast
from holdfast.model.value import replace
from holdfast.stores.sqlite.connection import Database
from holdfast.stores.sqlite.rows import to_json
from holdfast.stores.sqlite.seals import Seal, readable

if TYPE_CHECKING:
    from holdfast.stores.sqlite.connection import Row, Value

ALIAS_SEAL = Seal(("word", "meaning"))


class SqliteAliases:
    """`ports.Aliases` on SQLite."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for word, meaning in readable(self._database, "alias", alias_of, self._database.all("aliases_all")):
            found[word] = (*found.get(word, ()), meaning)
        return found

    def add(self, word: str, meaning: str) -> bool:
        return bool(self._database.all("alias_add", alias_row(word, meaning)))

    def remove(self, word: str, meaning: str | None) -> int:
        return len(self._database.all("alias_remove", {"word": word, "meaning": meaning}))


def alias_of(row: "Row") -> tuple[str, str]:
    """Read a word and what else it is called."""
    ALIAS_SEAL.check(row)
    return cast(str, row[0]), cast(str, row[1])


def alias_row(word: str, meaning: str) -> "dict[str, Value]":
    """Write a word and what else it is called."""
    return {"word": word, "meaning": meaning, "seal": ALIAS_SEAL.of((word, meaning))}


class SqliteReceipts:
    """`ports.Receipts` on SQLite."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def record(self, receipt: Receipt) -> None:
        self._database.all("receipt_record", _receipt_row(receipt))
        self._database.all("receipts_trim", {"kept": RECEIPTS})

    def recent(self, limit: int) -> list[Receipt]:
        with self._database.reading():
            rows = self._database.all("receipts_recent", {"limit": limit})
            receipts = readable(self._database, "receipt", receipt_of, rows)
            fetched = self._fetched(sorted({item.id for one in receipts for item in one.items}))
        return [replace(one, items=_with_fetches(one, fetched)) for one in receipts]

    def latencies(self, limit: int) -> list[Latency]:
        rows = cast("list[tuple[int, int, int]]", self._database.all("receipt_latencies", {"limit": limit}))
        return [Latency(took_ms=took, cut=bool(cut), degraded=bool(degraded)) for took, cut, degraded in rows]

    def _fetched(self, ids: Sequence[str]) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        rows = self._database.all("accesses_fetched", {"ids": to_json(list(ids))})
        for memory, at in cast("list[tuple[str, int]]", rows):
            found.setdefault(memory, []).append(at)
        return found


def _receipt_row(receipt: Receipt) -> "dict[str, Value]":
    items = [[one.id, one.kind, one.tier, one.score, dict(one.why)] for one in receipt.items]
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
        "items": to_json(items),
    }


def receipt_of(row: "Row") -> Receipt:
    """Read a receipt, without what was read since."""
    receipt_id, at, agent, session, prompted, budget, tokens, took_ms, cut, degraded, items = row
    return Receipt(
        id=cast(str, receipt_id),
        at=cast(int, at),
        agent=cast(str, agent),
        session=cast("str | None", session),
        prompted=bool(prompted),
        budget=cast(int, budget),
        tokens=cast(int, tokens),
        took_ms=cast(int, took_ms),
        cut=bool(cut),
        degraded=bool(degraded),
        items=tuple(
            ReceiptItem(id=one, kind=kind, tier=tier, score=score, why=why, fetched_at=None)
            for one, kind, tier, score, why in json.loads(cast(str, items))
        ),
    )


def _with_fetches(receipt: Receipt, fetched: Mapping[str, Sequence[int]]) -> tuple[ReceiptItem, ...]:
    def first(memory: str) -> int | None:
        return min((when for when in fetched.get(memory, ()) if when >= receipt.at), default=None)

    return tuple(replace(item, fetched_at=first(item.id)) for item in receipt.items)
