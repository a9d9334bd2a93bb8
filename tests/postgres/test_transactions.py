"""How transactions end: kept, not kept, or in doubt; and what several stores share."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress

import psycopg
import pytest
from msgspec.structs import replace
from psycopg.conninfo import make_conninfo

from holdfast.errors import StoreBusy, StoreError, StoreInDoubt, StoreRaced, StoreSlow, StoreUnreachable
from holdfast.model.search import Filters
from holdfast.settings.schema import Config
from holdfast.storage import postgres
from holdfast.stores.postgres.connections import Connections
from holdfast.stores.postgres.server import Address, connect
from holdfast.stores.postgres.store import PostgresStore
from holdfast.stores.retry import again
from tests.background import wait_until
from tests.contract.builders import NOW, a_memory, keep
from tests.hooking import HUNG_S
from tests.postgres.server import Server, stopped

"""What a busy machine may add."""


def open_store(dsn: str, project: str = "shop", connections: Connections | None = None) -> PostgresStore:
    return PostgresStore.open(dsn, tenant="acme", project=project, now=NOW, connections=connections)


@pytest.fixture
def store(empty_postgres: str) -> Iterator[PostgresStore]:
    with closing(open_store(empty_postgres)) as store:
        yield store


@pytest.fixture
def admin(empty_postgres: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(empty_postgres, autocommit=True) as connection:
        yield connection


def test_a_part_that_failed_does_not_forget_which_versions_were_read(
    store: PostgresStore, empty_postgres: str
) -> None:
    memory = a_memory(tenant="acme")
    keep(store, memory)
    with closing(open_store(empty_postgres)) as other:

        def late() -> None:
            with store.writing():
                [read] = store.memories.newest(Filters(), 1)
                with suppress(KeyError), store.writing():
                    store.memories.replace(replace(read, importance=0.6))
                    raise KeyError
                with other.writing():
                    other.memories.replace(replace(memory, tags=("theirs",)))
                store.memories.replace(replace(read, importance=0.9))

        with pytest.raises(StoreRaced):
            late()
    assert store.memories.get([memory.id]) == [replace(memory, tags=("theirs",))]


def test_a_change_of_which_a_part_failed_unnoticed_is_said_not_to_be_kept(store: PostgresStore) -> None:
    memory, other = a_memory(), a_memory()
    keep(store, memory)

    def swallow() -> None:
        with store.writing():
            store.memories.insert([other])
            with pytest.raises(StoreError):
                store.memories.insert([memory])

    with pytest.raises(StoreError, match="kept nothing"):
        swallow()
    assert store.memories.get([other.id]) == []


def test_what_fails_after_a_change_was_kept_does_not_repeat_it(store: PostgresStore) -> None:
    memory, runs = a_memory(), []
    keep(store, memory)

    @again
    def act() -> None:
        runs.append(1)
        with store.writing():
            store.memories.count_read([memory.id], NOW)
            store._database.after_commit(lambda: store._database.raced("sealing was late"))

    act()
    assert (len(runs), store.memories.get([memory.id])[0].reads) == (1, 1)


def test_a_connection_lost_while_a_change_is_kept_leaves_it_in_doubt(
    store: PostgresStore, admin: psycopg.Connection
) -> None:
    """The server ends the connection in the middle of COMMIT."""
    admin.execute(
        "CREATE FUNCTION holdfast.die() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS "
        "'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END';"
        "CREATE CONSTRAINT TRIGGER die AFTER INSERT ON holdfast.memory DEFERRABLE INITIALLY DEFERRED "
        "FOR EACH ROW EXECUTE FUNCTION holdfast.die()"
    )
    try:
        with pytest.raises(StoreInDoubt, match="may have been kept"):
            keep(store, a_memory())
    finally:
        admin.execute("DROP FUNCTION holdfast.die() CASCADE")
    keep(store, a_memory())


def test_an_id_that_is_taken_is_no_race(store: PostgresStore, empty_postgres: str) -> None:
    """It would be tried again and again."""
    memory = a_memory(tenant="acme")
    keep(store, memory)
    with (
        closing(open_store(empty_postgres, "site")) as other,
        pytest.raises(StoreError, match="there already") as caught,
    ):
        keep(other, memory)
    assert not isinstance(caught.value, StoreRaced)


def test_a_statement_that_an_admin_cancels_is_not_called_locked(
    store: PostgresStore, admin: psycopg.Connection
) -> None:
    def cancel(pid: int) -> None:
        query = "SELECT count(*) FROM pg_stat_activity WHERE pid = %s AND wait_event = 'PgSleep'"
        wait_until(lambda: admin.execute(query, (pid,)).fetchone() == (1,), "it does not sleep")
        admin.execute("SELECT pg_cancel_backend(%s)", (pid,))

    def sleep(threads: ThreadPoolExecutor) -> None:
        with store.writing(), store._database.raw() as connection:
            threads.submit(cancel, connection.info.backend_pid)
            connection.execute("SELECT pg_sleep(600)")

    with ThreadPoolExecutor(1) as threads, pytest.raises(StoreError, match="cancel") as caught:
        sleep(threads)
    assert not isinstance(caught.value, StoreBusy | StoreUnreachable)


def test_threads_with_two_stores_each_need_one_connection_each(empty_postgres: str) -> None:
    """With one connection for each store, four threads would wait for each other's second."""
    start = threading.Barrier(4)
    with closing(Connections.open(empty_postgres, size=4)) as connections:
        mine, ours = (open_store(empty_postgres, name, connections) for name in ("user:ada", "shop"))

        def work(number: int) -> None:
            with ours.writing():
                start.wait(HUNG_S)
                keep(mine, a_memory(content=f"mine {number}"))
                keep(ours, a_memory(content=f"ours {number}"))

        with ThreadPoolExecutor(4) as threads:
            list(threads.map(work, range(4)))
        assert {len(store.memories.newest(Filters(), 9)) for store in (mine, ours)} == {4}


def test_stores_of_two_tenants_do_not_share_a_transaction(empty_postgres: str) -> None:
    with postgres.connect_tenants(empty_postgres, size=2) as host_of, ExitStack() as opened:
        stores = [postgres.open_store(host_of(tenant), "shop", Config(), NOW) for tenant in ("acme", "globex")]
        one, other = (opened.enter_context(closing(store)) for store in stores if store)
        with one.writing():
            keep(other, a_memory(content="theirs"))
            assert one.memories.newest(Filters(), 9) == []
        assert [memory.content for memory in other.memories.newest(Filters(), 9)] == ["theirs"]
        one.close()
        assert other.counts(NOW).memories == 1


def test_when_all_connections_are_in_use_the_server_is_busy_not_gone(empty_postgres: str) -> None:
    dsn = f"{empty_postgres}?connect_timeout=2"
    with postgres.connect_tenants(dsn, size=1) as host_of:
        store = postgres.open_store(host_of("acme"), "shop", Config(), NOW)
        assert store
        with ThreadPoolExecutor(1) as threads, store.writing():
            late = threads.submit(store.counts, NOW)
            with pytest.raises(StoreBusy, match="all 1 are in use"):
                late.result()


def test_an_interrupted_beginning_gives_its_connection_back(
    empty_postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(Connections.open(empty_postgres, size=1)) as connections:
        store = open_store(empty_postgres, connections=connections)
        with monkeypatch.context() as patch:

            def interrupt(*_: object, **__: object) -> None:
                raise KeyboardInterrupt

            patch.setattr("holdfast.stores.postgres.server.Connection.execute", interrupt)
            with pytest.raises(KeyboardInterrupt):
                store.counts(NOW)
        assert store.counts(NOW).memories == 0


def test_reading_changes_nothing(store: PostgresStore) -> None:
    with pytest.raises(StoreError, match="read-only"):
        store._database.all("meta_set", {"key": "k", "value": "v"})


def test_what_an_admin_says_of_timeouts_holds_outside_of_limits(
    store: PostgresStore, admin: psycopg.Connection, empty_postgres: str
) -> None:
    def timeout(store: PostgresStore) -> str:
        with store._database.raw() as connection:
            return str(connection.execute("SHOW statement_timeout").fetchall()[0][0])

    with store.reading():
        assert timeout(store) == "30s"
        with store.reading(5_000):
            assert timeout(store) != "30s"
        assert timeout(store) == "30s"
    admin.execute("ALTER ROLE postgres SET statement_timeout = '7s'")
    try:
        with closing(open_store(empty_postgres)) as other:
            assert timeout(other) == "7s"
    finally:
        admin.execute("ALTER ROLE postgres RESET statement_timeout")


def test_an_address_keeps_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    said = Address("postgresql://ada@db/x?connect_timeout=17&application_name=shop&keepalives_idle=3")
    assert "connect_timeout=17" in said.conninfo()
    assert "application_name=shop" in said.conninfo()
    assert "keepalives_idle=3" in said.conninfo()
    assert said.connect_s == 17
    assert "connect_timeout=5" in Address("postgresql://ada@db/x").conninfo()
    monkeypatch.setenv("PGCONNECT_TIMEOUT", "9")
    assert Address("postgresql://ada@db/x").connect_s == 9


def test_a_temporary_table_does_not_hide_ours(store: PostgresStore) -> None:
    keep(store, a_memory())
    with store.writing():
        with store._database.raw() as connection:
            connection.execute("CREATE TEMP TABLE memory (tenant text) ON COMMIT DROP")
        assert len(store.memories.newest(Filters(), 9)) == 1


@pytest.mark.parametrize("pause", [0.0, 0.6])
def test_a_limit_is_kept_however_much_of_it_is_gone(store: PostgresStore, pause: float) -> None:
    began = time.monotonic()

    def read() -> None:
        with store.reading(1_000):
            store.memories.newest(Filters(), 1)
            time.sleep(pause)
            with store._database.raw() as connection:
                connection.execute("SELECT pg_sleep(600)")

    with pytest.raises(StoreSlow):
        read()
    assert time.monotonic() - began > 0.9


def test_the_server_is_told_of_a_limit_at_once_and_when_half_of_it_is_gone(store: PostgresStore) -> None:
    """Each time is a message; what goes on for longer than is left is given up on this side."""

    def told_ms() -> int:
        store.memories.newest(Filters(), 1)
        [transaction] = store._database.connections.own.transactions.values()
        query = "SELECT setting::int FROM pg_settings WHERE name = 'statement_timeout'"
        [(milliseconds,)] = transaction.connection.execute(query).fetchall()
        return int(milliseconds)

    with store.reading(60_000):
        first = told_ms()
        assert 30_000 < first <= 60_000
        assert told_ms() == first
        [limit] = store._database.connections.own.limits.items()
        store._database.connections.own.limits[limit[0]] = replace(limit[1], end=limit[1].end - 40)
        assert told_ms() <= 20_000


def test_a_server_that_hangs_is_not_waited_for(own_server: Server, own_database: str) -> None:
    dsn = make_conninfo(own_database, connect_timeout=2)
    with closing(open_store(dsn)) as store:
        keep(store, a_memory())

        def limited() -> None:
            with store.reading(200):
                store.memories.newest(Filters(), 5)

        def halfway() -> None:
            with store.reading(1_000):
                store.memories.newest(Filters(), 5)
                with stopped(own_server):
                    store.memories.newest(Filters(), 5)

        with pytest.raises(StoreSlow):
            halfway()
        with stopped(own_server):  # and it goes on only after everybody has given up
            with pytest.raises(StoreSlow):
                limited()
            with pytest.raises(StoreUnreachable):
                store.counts(NOW)
        assert store.counts(NOW).memories == 1


def test_a_short_connection_does_not_wait_for_a_server_that_hangs(own_server: Server) -> None:
    with connect(Address(own_server.dsn), 0.5) as connection, stopped(own_server):
        assert connection.prepare_threshold is None  # a pooler may be in between
        with pytest.raises(psycopg.OperationalError, match="in time"):
            connection.execute("SELECT 1")
