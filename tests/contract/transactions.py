"""One transaction: all of it is kept, or none; and one store used by several threads at once."""

import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from msgspec.structs import replace

from holdfast.model.memory import Memory
from holdfast.model.records import Access, Event
from holdfast.model.search import Filters
from holdfast.ports import Store
from holdfast.text.words import terms_of
from tests.contract.builders import ARRIVED_AT, NOW, a_memory, a_session, a_turn, keep, keep_turns

WRITERS = READERS = 4
ROUNDS = 25
UNCOMMITTED_WAIT_S = 0.1
"""How long a reader may take before a transaction goes on: a store that lets it wait is right as well."""


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


class ConcurrencyContract:
    """Reads may happen at any time; every write is a transaction of its own."""

    @pytest.fixture
    def _eager_threads(self) -> Iterator[None]:
        """Let threads interrupt each other as often as they can."""
        usual = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)
        yield
        sys.setswitchinterval(usual)

    @pytest.mark.usefixtures("_eager_threads")
    def test_threads_add_and_read_at_once_and_nothing_is_lost(self, store: Store) -> None:
        rows = [[a_memory(content=f"walrus {n} {place}") for place in range(ROUNDS)] for n in range(WRITERS)]
        start = threading.Barrier(WRITERS + READERS)

        def write(memories: list[Memory]) -> None:
            start.wait()
            for memory in memories:
                with store.writing():
                    store.audit.record(Event(action="add", actor="python", at=NOW, ids=(memory.id,)))
                    store.memories.insert([memory])

        def read() -> list[int]:
            start.wait()
            counts = []
            for _ in range(ROUNDS):
                counts.append(len(store.memories.newest(Filters(kinds=("fact",)), 1_000)))
                assert len(store.memories.match(terms_of("walrus"), Filters(), 5).candidates) <= 5
                store.memories.saying("nowhere", ["0"])
            return counts

        with ThreadPoolExecutor(WRITERS + READERS) as pool:
            writers = [pool.submit(write, memories) for memories in rows]
            readers = [pool.submit(read) for _ in range(READERS)]
            for writer in writers:
                writer.result()
            for reader in readers:
                assert reader.result() == sorted(reader.result())
        stored_ids = {memory.id for memory in store.memories.newest(Filters(), 1_000)}
        assert stored_ids == {memory.id for memories in rows for memory in memories}
        assert store.counts(NOW).audit_events == WRITERS * ROUNDS
        assert store.audit.broken_at() is None

    @pytest.mark.usefixtures("_eager_threads")
    def test_counted_reads_of_several_threads_add_up(self, store: Store) -> None:
        memory = a_memory()
        keep(store, memory)

        def read() -> None:
            for _ in range(ROUNDS):
                with store.writing():
                    store.memories.count_read([memory.id], NOW)

        with ThreadPoolExecutor(READERS) as pool:
            for reader in [pool.submit(read) for _ in range(READERS)]:
                reader.result()
        assert store.memories.get([memory.id])[0].reads == READERS * ROUNDS

    def test_another_thread_never_sees_what_was_not_committed(self, store: Store) -> None:
        write_began, read_ended = threading.Event(), threading.Event()

        def read() -> list[Memory]:
            write_began.wait()
            memories = store.memories.newest(Filters(), 10)
            read_ended.set()
            return memories

        def write() -> None:
            with store.writing():
                store.memories.insert([a_memory()])
                write_began.set()
                read_ended.wait(UNCOMMITTED_WAIT_S)
                raise Interruption

        with ThreadPoolExecutor(1) as pool:
            reader = pool.submit(read)
            with pytest.raises(Interruption):
                write()
            assert reader.result() == []
