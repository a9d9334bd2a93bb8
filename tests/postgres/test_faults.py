"""What goes wrong with a server: it dies in the middle, it is not there, it is busy, two write the same."""

import signal
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from msgspec.structs import replace

from holdfast.errors import NotAStore, StoreBusy, StoreRaced, StoreSlow, StoreUnreachable
from holdfast.model.memory import Memory
from holdfast.model.search import Filters
from holdfast.stores.postgres.store import PostgresStore
from holdfast.stores.retry import again
from tests.contract.builders import NOW, a_memory, keep
from tests.postgres.server import Server, free_port


def open_store(dsn: str, **options: object) -> PostgresStore:
    return PostgresStore.open(dsn, tenant="acme", project="shop", now=NOW, **options)  # type: ignore[arg-type]  # our own names


def test_a_server_killed_in_the_middle_of_a_write_keeps_nothing_half_written(
    own_server: Server, own_database: str
) -> None:
    store = open_store(own_database)
    whole, half = a_memory(tenant="acme", content="kept before"), a_memory(content="half written")
    keep(store, whole)

    def interrupted() -> None:
        with store.writing():
            store.memories.insert([half])
            own_server.stop(signal.SIGQUIT)
            store.memories.get([half.id])

    with pytest.raises(StoreUnreachable):
        interrupted()
    with pytest.raises(StoreUnreachable):
        store.memories.get([whole.id])
    own_server.start()
    assert store.memories.newest(Filters(), 10) == [whole]
    keep(store, a_memory(content="written afterwards"))
    assert store.counts(NOW).memories == 2
    assert store.audit.broken_at() is None
    store.close()


def test_the_pool_recovers_from_a_restart_without_an_error(own_server: Server, own_database: str) -> None:
    store = open_store(own_database)
    start = threading.Barrier(5)

    def read() -> None:
        with store.reading():
            start.wait()

    with ThreadPoolExecutor(5) as pool:  # so that several connections go stale at once
        for reader in [pool.submit(read) for _ in range(5)]:
            reader.result()
    own_server.stop()
    own_server.start()
    written = [a_memory() for _ in range(8)]
    for memory in written:
        keep(store, memory)
    assert len(store.memories.get([memory.id for memory in written])) == 8
    store.close()


def test_no_server_is_said_so(postgres: str) -> None:
    with pytest.raises(StoreUnreachable, match=r"127\.0\.0\.1"):
        open_store(f"postgresql://postgres@127.0.0.1:{free_port()}/postgres")


def test_an_error_never_shows_the_password(postgres: str) -> None:
    secret = "open" + "sesame"
    with pytest.raises(StoreUnreachable) as caught:
        open_store(f"postgresql://postgres:{secret}@127.0.0.1:{free_port()}/postgres")
    assert secret not in str(caught.value)


def test_looking_makes_no_store(empty_postgres: str) -> None:
    with pytest.raises(NotAStore, match="shop"):
        open_store(empty_postgres, create=False)


def test_two_migrations_at_once_end_alike(own_database: str) -> None:
    with ThreadPoolExecutor(4) as pool:
        stores = list(pool.map(open_store, [own_database] * 4))
        assert len({store.state().store_id for store in stores}) == 1
        for store in stores:
            store.close()


def test_a_write_waits_no_longer_than_it_may(empty_postgres: str) -> None:
    one, other = open_store(empty_postgres), open_store(empty_postgres)
    memory = a_memory()
    keep(one, memory)

    def late() -> None:
        with other.writing(patience_ms=150):
            other.memories.replace(replace(memory, importance=0.9))

    with one.writing():
        one.memories.replace(replace(memory, importance=0.8))
        with pytest.raises(StoreBusy):
            late()
    assert other.memories.get([memory.id])[0].importance == 0.8
    one.close()
    other.close()


def test_a_slow_statement_is_cut_off_by_the_server(empty_postgres: str) -> None:
    store = open_store(empty_postgres)
    keep(store, a_memory())
    with store.reading(150):
        with pytest.raises(StoreSlow), store._database.raw() as connection:
            connection.execute("SELECT pg_sleep(600)")
        with pytest.raises(StoreSlow):
            store.memories.newest(Filters(), 1)
    assert len(store.memories.newest(Filters(), 9)) == 1
    store.close()


def test_nothing_is_written_over_that_was_changed_since_it_was_read(empty_postgres: str) -> None:
    one, other = open_store(empty_postgres), open_store(empty_postgres)
    memory = a_memory(tenant="acme")
    keep(one, memory)

    def late() -> None:
        with one.writing():
            [read] = one.memories.newest(Filters(), 1)
            with other.writing():
                other.memories.replace(replace(memory, title="theirs"))
            one.memories.replace(replace(read, importance=0.9))

    with pytest.raises(StoreRaced):
        late()
    assert one.memories.get([memory.id]) == [replace(memory, title="theirs")]
    one.close()
    other.close()


def test_who_looked_at_the_pins_before_another_pinned_has_lost_a_race(empty_postgres: str) -> None:
    """Else two could each pin the fifth."""
    one, other = open_store(empty_postgres), open_store(empty_postgres)
    first, second = a_memory(tenant="acme"), a_memory(tenant="acme")
    keep(one, first, second)

    def pin(store: PostgresStore, memory: Memory, between: Callable[[], None] = lambda: None) -> None:
        with store.writing():
            store.memories.newest(Filters(statuses=("pinned",)), 5)
            between()
            store.memories.replace(replace(memory, status="pinned"))

    with pytest.raises(StoreRaced):
        pin(one, first, lambda: pin(other, second))
    pin(one, first)
    assert len(one.memories.newest(Filters(statuses=("pinned",)), 5)) == 2
    one.close()
    other.close()


def test_changes_of_several_writers_to_one_memory_all_stay(empty_postgres: str) -> None:
    stores = [open_store(empty_postgres) for _ in range(4)]
    memory = a_memory(tags=())
    keep(stores[0], memory)

    @again
    def tag(store: PostgresStore, name: str) -> None:
        with store.writing():
            [read] = store.memories.get([memory.id])
            store.memories.replace(replace(read, tags=(*read.tags, name)))

    def work(number: int) -> None:
        for turn in range(10):
            tag(stores[number], f"t{number}-{turn}")

    with ThreadPoolExecutor(4) as pool:
        for worker in [pool.submit(work, number) for number in range(4)]:
            worker.result()
    [found] = stores[0].memories.get([memory.id])
    assert len(set(found.tags)) == 40
    for store in stores:
        store.close()


def test_two_who_say_the_same_at_once_leave_one_memory(empty_postgres: str) -> None:
    stores = [open_store(empty_postgres) for _ in range(4)]
    start = threading.Barrier(4)

    def say(store: PostgresStore) -> bool:
        start.wait()
        try:
            keep(store, a_memory(content="the walrus sleeps"))
        except StoreRaced:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(say, stores)) == 1
    assert stores[0].counts(NOW).memories == 1
    for store in stores:
        store.close()
