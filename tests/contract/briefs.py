"""What a store keeps for briefs: aliases, receipts with their latencies, and reads that may not take long."""

import pytest
from msgspec.structs import replace

from holdfast.errors import StoreSlow
from holdfast.model.brief import Latency, Receipt, ReceiptItem
from holdfast.model.limits import BRIEF_TEXTS, RECEIPTS
from holdfast.model.records import Access
from holdfast.model.search import Filters
from holdfast.ports import Store
from tests.contract.builders import NOW, a_memory, an_id, keep


def a_receipt(**fields: object) -> Receipt:
    """Make the receipt of a brief."""
    plain: dict[str, object] = {
        "id": an_id(),
        "at": NOW,
        "agent": "codex",
        "session": None,
        "prompted": True,
        "budget": 1_500,
        "tokens": 120,
        "took_ms": 20,
        "cut": False,
        "degraded": False,
    }
    return Receipt(**(plain | fields))  # type: ignore[arg-type]  # a caller's names are the fields' names


def an_item(**fields: object) -> ReceiptItem:
    """Make an entry of a receipt."""
    plain: dict[str, object] = {
        "id": an_id(),
        "kind": "decision",
        "tier": "retrieval",
        "score": 0.5,
        "why": {"relevance": 0.5},
    }
    return ReceiptItem(**(plain | fields))  # type: ignore[arg-type]  # as above


def issue(store: Store, *receipts: Receipt) -> None:
    """Record receipts, each in its own transaction."""
    for receipt in receipts:
        with store.writing():
            store.receipts.record(receipt)


class BriefsContract:
    """`ports.Aliases`, `ports.Receipts` and the limit of `ports.Store.reading`."""

    def test_aliases_come_back_in_order_each_once(self, store: Store) -> None:
        pairs = (("ü", "z"), ("ui", "web"), ("ui", "app"), ("ui", "web"))
        with store.writing():
            results = [store.aliases.add(*pair) for pair in pairs]
        assert results == [True, True, True, False]
        assert store.aliases.all() == {"ui": ("app", "web"), "ü": ("z",)}

    def test_one_meaning_goes_or_all_of_a_word(self, store: Store) -> None:
        with store.writing():
            for word, meaning in (("ui", "web"), ("ui", "app"), ("db", "pg"), ("db", "sql")):
                store.aliases.add(word, meaning)
            removal_counts = [store.aliases.remove("ui", "app"), store.aliases.remove("db", None)]
            removal_counts += [store.aliases.remove("ui", "none"), store.aliases.remove("no", None)]
        assert removal_counts == [1, 2, 0, 0]
        assert store.aliases.all() == {"ui": ("web",)}

    def test_receipts_come_back_whole_and_newest_first(self, store: Store) -> None:
        item = an_item(kind="turn", tier="always", score=0.25, why={"relevance": 0.125, "recency": 1.1})
        first = a_receipt(session=an_id(), items=(item, an_item()))
        second = a_receipt(at=NOW - 5, agent="ü", prompted=False, cut=True, degraded=True, tokens=0)
        issue(store, first, second)
        assert store.receipts.recent(10) == [second, first]
        assert store.receipts.recent(1) == [second]

    def test_a_receipt_says_when_an_entry_was_first_fetched_afterwards(self, store: Store) -> None:
        read_item, seen_item, never = an_item(), an_item(), an_item()
        issue(store, a_receipt(items=(read_item, seen_item, never)), a_receipt(at=NOW + 8, items=(read_item,)))
        looks = [
            (read_item, "get", NOW - 1),
            (read_item, "get", NOW + 7),
            (read_item, "get", NOW + 9),
            (seen_item, "search", NOW + 2),
        ]
        with store.writing():
            store.accesses.record([Access(memory=item.id, action=action, at=at) for item, action, at in looks])
        later, earlier = store.receipts.recent(2)
        assert earlier.items == (replace(read_item, fetched_at=NOW + 7), seen_item, never)
        assert later.items == (replace(read_item, fetched_at=NOW + 9),)

    def test_receipts_are_found_by_session_and_by_what_they_name(self, store: Store) -> None:
        session, item = an_id(), an_item()
        first, second = a_receipt(session=session, items=(item, an_item())), a_receipt(session=an_id())
        third = a_receipt(session=session)
        issue(store, first, second, third)
        assert store.receipts.of([session], 10) == [third, first]
        assert store.receipts.of([session, an_id()], 1) == [third]
        assert store.receipts.of([], 10) == []
        assert store.receipts.naming(item.id, 10) == [first]
        assert store.receipts.naming(an_id(), 10) == []
        assert store.receipts.get(second.id) == second
        assert store.receipts.get(an_id()) is None

    def test_what_a_brief_said_is_kept_until_it_is_reworded(self, store: Store) -> None:
        silent, spoken, empty = a_receipt(), a_receipt(), a_receipt()
        with store.writing():
            store.receipts.record(silent)
            store.receipts.record(spoken, "always ü\n")
            store.receipts.record(empty, "")
        ids = [silent.id, spoken.id, empty.id]
        assert store.receipts.texts() == {spoken.id: "always ü\n"}
        assert store.receipts.texts([silent.id]) == {}
        assert store.receipts.unkept(ids) == {silent.id}
        with store.writing():
            store.receipts.reword({spoken.id: "", silent.id: "new"})
        assert store.receipts.texts() == {}
        assert store.receipts.unkept(ids) == {silent.id}

    def test_only_the_latest_briefs_keep_their_text(self, store: Store) -> None:
        receipts = [a_receipt(at=NOW + number) for number in range(BRIEF_TEXTS + 3)]
        with store.writing():
            for receipt in receipts:
                store.receipts.record(receipt, f"said {receipt.at}")
        latest = receipts[:2:-1]
        assert store.receipts.texts() == {receipt.id: f"said {receipt.at}" for receipt in latest}
        assert store.receipts.unkept([receipt.id for receipt in receipts]) == {old.id for old in receipts[:3]}

    def test_receipts_let_the_oldest_go(self, store: Store) -> None:
        receipts = [a_receipt(at=NOW + number) for number in range(RECEIPTS + 3)]
        with store.writing():
            for receipt in receipts:
                store.receipts.record(receipt)
        assert store.receipts.recent(RECEIPTS * 2) == receipts[:2:-1]

    def test_latencies_are_those_of_the_latest_briefs(self, store: Store) -> None:
        issue(store, *(a_receipt(took_ms=number, cut=number == 3, degraded=number > 2) for number in range(1, 5)))
        assert store.receipts.latencies(3) == [
            Latency(took_ms=4, cut=False, degraded=True),
            Latency(took_ms=3, cut=True, degraded=True),
            Latency(took_ms=2, cut=False, degraded=False),
        ]

    def test_what_is_noted_for_briefs_is_taken_back_with_its_transaction(self, store: Store) -> None:
        def half() -> None:
            with store.writing():
                store.aliases.add("ui", "web")
                store.receipts.record(a_receipt())
                raise InterruptedError

        with pytest.raises(InterruptedError):
            half()
        assert (store.aliases.all(), store.receipts.recent(9)) == ({}, [])

    def test_a_read_past_its_limit_is_cut_off_and_the_store_goes_on(self, store: Store) -> None:
        keep(store, *(a_memory() for _ in range(300)))

        def slow() -> None:
            with store.reading(0):
                for _ in range(200):
                    store.memories.newest(Filters(contains="nowhere to be found"), 10)

        with pytest.raises(StoreSlow):
            slow()
        assert len(store.memories.newest(Filters(), 10)) == 10

    def test_a_read_within_its_limit_is_whole(self, store: Store) -> None:
        keep(store, *(a_memory() for _ in range(20)))
        with store.reading(60_000):
            assert len(store.memories.newest(Filters(), 50)) == 20
