"""A replica answers what it has heard of, and nothing that would be news to whoever wrote it."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import psycopg
import pytest

from holdfast.model.actor import Actor
from holdfast.model.search import Filters
from holdfast.service.read import MemoryReader
from holdfast.service.scopes import Scopes
from holdfast.stores.postgres.store import PostgresStore
from tests.background import wait_until
from tests.conftest import FakeClock
from tests.contract.builders import NOW, a_memory, keep
from tests.postgres.server import Server, running, stopped


@dataclass(frozen=True, slots=True)
class Pair:
    """A server and its replica."""

    first: Server
    replica: Server

    def open(self) -> PostgresStore:
        return PostgresStore.open(self.first.dsn, tenant="acme", project="shop", now=NOW, replica=self.replica.dsn)

    def pause(self) -> None:
        """Let the replica hear of nothing more."""
        self._tell("SELECT pg_wal_replay_pause()")
        self._wait(lambda: self._tell("SELECT pg_get_wal_replay_pause_state()") == "paused")

    def go_on(self) -> None:
        """Let the replica catch up."""
        self._tell("SELECT pg_wal_replay_resume()")
        with psycopg.connect(self.first.dsn) as connection:
            row = connection.execute("SELECT pg_current_wal_insert_lsn()::text").fetchone()
        assert row
        self._wait(lambda: self._tell(f"SELECT pg_last_wal_replay_lsn() >= '{row[0]}'") is True)

    def _tell(self, statement: str) -> object:
        with psycopg.connect(self.replica.dsn, autocommit=True) as connection:
            row = connection.execute(statement).fetchone()
            return row[0] if row else None

    def _wait(self, done: Callable[[], bool]) -> None:
        wait_until(done, "the replica does not follow")


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    with running({"max_standby_streaming_delay": "0"}) as first:
        PostgresStore.open(first.dsn, tenant="acme", project="shop", now=NOW).close()
        with first.followed() as replica:
            yield Pair(first, replica)


def asked(store: PostgresStore) -> int:
    """Return the port of the server that answers a read now."""
    with store.reading(), store._database.raw() as connection:
        return connection.info.port


def test_who_wrote_nothing_is_answered_by_the_replica(pair: Pair) -> None:
    other, reader = pair.open(), pair.open()
    pair.go_on()
    pair.pause()
    keep(other, a_memory(content="news to the replica"))
    assert asked(reader) == pair.replica.port
    assert "news to the replica" not in [one.content for one in reader.memories.newest(Filters(), 100)]
    pair.go_on()
    assert "news to the replica" in [one.content for one in reader.memories.newest(Filters(), 100)]
    assert asked(reader) == pair.replica.port
    for store in (other, reader):
        store.close()


def test_a_read_after_a_write_never_misses_it(pair: Pair) -> None:
    store = pair.open()
    pair.pause()
    memory = a_memory(tenant="acme", content="written while the replica was deaf")
    keep(store, memory)
    assert asked(store) == pair.first.port
    assert store.memories.get([memory.id]) == [memory]
    pair.go_on()
    assert asked(store) == pair.replica.port
    assert store.memories.get([memory.id]) == [memory]
    store.close()


def test_a_write_is_read_at_once_however_fast_the_replica_follows(pair: Pair) -> None:
    """The replica replays all the time: each read comes at another moment of that."""
    store = pair.open()
    start = threading.Barrier(4)
    missed: list[str] = []

    def write_and_read() -> None:
        start.wait(30)
        for _ in range(60):
            memory = a_memory()
            keep(store, memory)
            missed.extend([memory.id] if not store.memories.get([memory.id]) else [])

    threads = [threading.Thread(target=write_and_read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert missed == []
    store.close()


def test_a_replica_that_is_gone_is_done_without(pair: Pair) -> None:
    store = pair.open()
    pair.go_on()
    assert asked(store) == pair.replica.port
    pair.replica.stop()
    try:
        assert asked(store) == pair.first.port
        keep(store, a_memory())
        assert asked(store) == pair.first.port
    finally:
        pair.replica.start()
    store.close()


def test_a_replica_that_is_down_at_the_opening_is_done_without(pair: Pair) -> None:
    pair.replica.stop()
    try:
        store = pair.open()
        keep(store, a_memory())
        assert asked(store) == pair.first.port
        store.close()
    finally:
        pair.replica.start()


def test_what_another_process_wrote_before_is_not_missed(pair: Pair) -> None:
    writer = pair.open()
    pair.go_on()
    pair.pause()
    memory = a_memory(tenant="acme", content="written before the reader began")
    keep(writer, memory)
    reader = pair.open()
    assert reader.memories.get([memory.id]) == [memory]
    pair.go_on()
    assert asked(reader) == pair.replica.port
    for store in (writer, reader):
        store.close()


def test_what_a_replica_breaks_off_the_first_server_answers(pair: Pair) -> None:
    """A vacuum there takes away rows that a reader here still sees."""
    store = pair.open()
    memory = a_memory(tenant="acme", content="kept through a vacuum")
    keep(store, memory)
    pair.go_on()
    with store.reading():
        assert asked(store) == pair.replica.port
        assert store.memories.get([memory.id]) == [memory]
        with psycopg.connect(pair.first.dsn, autocommit=True) as connection:
            connection.execute("UPDATE holdfast.memory SET reads = reads")
            connection.execute("VACUUM (FREEZE) holdfast.memory")
        pair.go_on()
        assert store.memories.get([memory.id]) == [memory]
        assert asked(store) == pair.first.port
    store.close()


def test_a_replica_that_hangs_is_left_alone_after_a_second(pair: Pair) -> None:
    store = pair.open()
    keep(store, a_memory())
    pair.go_on()
    assert asked(store) == pair.replica.port
    with stopped(pair.replica):
        assert asked(store) == pair.first.port
        replica = store._database.connections.replica
        assert replica
        assert replica.resting
        with store.reading(60_000):
            assert store.memories.newest(Filters(), 1)
    store.close()


def test_what_the_replica_knows_is_read_while_the_first_server_is_down(pair: Pair) -> None:
    store = pair.open()
    memory = a_memory(tenant="acme", content="read without the first server")
    keep(store, memory)
    pair.go_on()
    reading = MemoryReader(Scopes(store), FakeClock(NOW), Actor("test"), lambda: None)
    pair.first.stop()
    try:
        assert reading.read(store, [memory.id]) == [memory]
    finally:
        pair.first.start()
    store.close()
