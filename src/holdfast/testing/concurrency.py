"""One store used by several threads at once."""

import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from holdfast.capture.text.terms import terms_of
from holdfast.model.memory import Memory
from holdfast.model.records import Event
from holdfast.model.search import Filters
from holdfast.ports import Store
from holdfast.testing.builders import NOW, a_memory, keep
from holdfast.testing.transactions import Interruption

WRITERS = READERS = 4
ROUNDS = 25
UNCOMMITTED_WAIT_S = 0.1
"""How long a reader may take before a transaction goes on: a store that lets it wait is right as well."""


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
