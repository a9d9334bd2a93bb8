"""One transaction: all of it is kept, or none."""

from dataclasses import replace

import pytest

from holdfast.capture.text.terms import terms_of
from holdfast.model.records import Access, Event
from holdfast.model.search import Filters
from holdfast.ports import Store
from holdfast.testing.builders import ARRIVED_AT, NOW, a_memory, a_session, a_turn, keep, keep_turns


class Interruption(Exception):
    """Stands for anything that goes wrong in the middle."""


class TransactionsContract:
    """`ports.Store.writing` and `reading`."""

    def test_an_exception_leaves_nothing_of_a_transaction(self, store: Store) -> None:
        memory = a_memory(content="the walrus sleeps")
        session = a_session()
        turn = a_turn(session, "the lynx waits")
        keep(store, memory)
        keep_turns(store, session, turn)
        counts = store.counts(NOW)

        def half() -> None:
            with store.writing():
                store.audit.record(Event(action="add", actor="python", at=NOW, ids=()))
                store.tombstones.add(["f" * 64])
                store.memories.insert([a_memory(content="an ocelot")])
                store.memories.replace(replace(memory, content="the badger sleeps", importance=0.9))
                store.memories.count_read([memory.id], NOW)
                store.sessions.insert(a_session())
                store.turns.insert([a_turn(session, "an ocelot too", tool="bash")])
                store.turns.replace(replace(turn, text="the badger waits"))
                store.accesses.record([Access(memory=memory.id, action="get", at=NOW)])
                raise Interruption

        with pytest.raises(Interruption):
            half()
        assert store.counts(NOW) == counts
        assert store.memories.newest(Filters(), 10) == [memory]
        assert store.turns.of(session.id) == [turn]
        assert store.sessions.newest(None, 10) == [
            replace(session, turns=1, last_turn_at=NOW, heard_at=ARRIVED_AT)
        ]
        assert (store.audit.events(9), store.accesses.recent(9)) == ([], [])
        assert store.tombstones.standing(["f" * 64]) == set()
        for word, here in (("walrus", 1), ("ocelot", 0), ("badger", 0)):
            assert len(store.memories.match(terms_of(word), Filters(), 9).candidates) == here
        for word, here in (("lynx", 1), ("ocelot", 0), ("badger", 0)):
            assert len(store.turns.match(terms_of(word), Filters(), 9).candidates) == here

    def test_a_deletion_is_taken_back_too(self, store: Store) -> None:
        newer = a_memory(content="the walrus sleeps")
        older = a_memory(valid_until=NOW, superseded_by=newer.id)
        keep(store, newer, older)

        def half() -> None:
            with store.writing():
                store.memories.delete([newer.id])
                raise Interruption

        with pytest.raises(Interruption):
            half()
        assert store.memories.get([newer.id, older.id]) == [newer, older]
        assert len(store.memories.match(terms_of("walrus"), Filters(), 9).candidates) == 1

    def test_the_chain_holds_after_a_rollback(self, store: Store) -> None:
        def record(fail: bool) -> None:
            with store.writing():
                store.audit.record(Event(action="add", actor="python", at=NOW, ids=()))
                if fail:
                    raise Interruption

        record(fail=False)
        with pytest.raises(Interruption):
            record(fail=True)
        record(fail=False)
        assert store.audit.broken_at() is None
        assert len(store.audit.events(9)) == 2

    def test_a_transaction_sees_its_own_writes(self, store: Store) -> None:
        memory = a_memory(content="the walrus sleeps")
        with store.writing():
            store.memories.insert([memory])
            assert store.memories.get([memory.id]) == [memory]
            assert len(store.memories.match(terms_of("walrus"), Filters(), 9).candidates) == 1

    def test_a_transaction_inside_another_joins_it(self, store: Store) -> None:
        outer, inner = a_memory(), a_memory()
        with store.writing():
            store.memories.insert([outer])
            with store.writing():
                store.memories.insert([inner])
            with store.reading():
                assert store.memories.get([outer.id, inner.id]) == [outer, inner]
        assert store.memories.get([outer.id, inner.id]) == [outer, inner]

    def test_a_failing_outer_transaction_takes_the_inner_one_along(self, store: Store) -> None:
        outer, inner = a_memory(), a_memory()

        def half() -> None:
            with store.writing():
                store.memories.insert([outer])
                with store.writing():
                    store.memories.insert([inner])
                raise Interruption

        with pytest.raises(Interruption):
            half()
        assert store.memories.newest(Filters(), 9) == []

    def test_an_inner_transaction_can_fail_alone(self, store: Store) -> None:
        outer, inner = a_memory(content="the walrus"), a_memory(content="the ocelot")

        def half() -> None:
            with store.writing():
                store.memories.insert([inner])
                raise Interruption

        with store.writing():
            store.memories.insert([outer])
            with pytest.raises(Interruption):
                half()
        assert store.memories.newest(Filters(), 9) == [outer]
        assert store.memories.match(terms_of("ocelot"), Filters(), 9).candidates == ()

    def test_a_store_works_on_after_a_failed_transaction(self, store: Store) -> None:
        def fail() -> None:
            with store.writing():
                raise Interruption

        with pytest.raises(Interruption):
            fail()
        memory = a_memory()
        keep(store, memory)
        with store.reading():
            assert store.memories.get([memory.id]) == [memory]
