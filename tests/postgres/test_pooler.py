"""Behind a pooler that hands a connection to somebody else after every transaction, each tenant sees its own."""

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from holdfast.model.search import Filters
from holdfast.stores.postgres.care import build_graphs, places
from holdfast.stores.postgres.store import PostgresStore
from tests.contract.builders import NOW, a_memory, keep
from tests.postgres.server import NOBODY_IF_ROOT, free_port

PROGRAM = shutil.which("pgbouncer")
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="pgbouncer is not installed (apt-get install pgbouncer)")


@pytest.fixture
def pooler(empty_postgres: str, tmp_path: Path) -> Iterator[str]:
    """A pgbouncer with two server connections for everybody, given back after each transaction."""
    server = conninfo_to_dict(empty_postgres)
    port = free_port()
    home = Path("/tmp") / f"holdfast-bouncer-{port}"  # noqa: S108 - pytest's own directory is closed to the unprivileged uid
    home.mkdir()
    settings = home / "pgbouncer.ini"
    settings.write_text(
        f"""[databases]
* = host={server["host"]} port={server["port"]} user={server["user"]}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
auth_type = any
pool_mode = transaction
default_pool_size = 2
max_client_conn = 100
unix_socket_dir =
"""
    )
    process = subprocess.Popen(
        [str(PROGRAM), str(settings)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        user=NOBODY_IF_ROOT,
        group=NOBODY_IF_ROOT,
    )
    try:
        _wait(port)
        yield make_conninfo(empty_postgres, host="127.0.0.1", port=port)
    finally:
        process.terminate()
        process.wait(10)
        shutil.rmtree(home)


def _wait(port: int) -> None:
    until = time.monotonic() + 20
    while True:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=1):
                return
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)


def test_no_read_through_a_transaction_pooler_answers_for_another_tenant(pooler: str) -> None:
    stores = [PostgresStore.open(pooler, tenant=f"team{one}", project="shop", now=NOW) for one in range(3)]

    def work(number: int) -> None:
        store = stores[number % 3]
        for turn in range(25):
            keep(store, a_memory(content=f"walrus {number % 3} {number} {turn}"))
            found = store.memories.newest(Filters(), 1_000)
            assert {one.content.split()[1] for one in found} == {str(number % 3)}

    with ThreadPoolExecutor(9) as pool:
        for worker in [pool.submit(work, number) for number in range(9)]:
            worker.result()
    assert [store.counts(NOW).memories for store in stores] == [75, 75, 75]
    for store in stores:
        store.close()


def test_an_empty_database_is_brought_up_through_a_pooler_by_several_at_once(pooler: str) -> None:
    """A lock of a session would stay with a connection that is somebody else's by then."""
    with psycopg.connect(pooler, autocommit=True, prepare_threshold=None) as connection:
        connection.execute("CREATE DATABASE pooled")
    pooled = make_conninfo(pooler, dbname="pooled")
    try:
        with ThreadPoolExecutor(3) as pool:
            stores = [
                pool.submit(PostgresStore.open, pooled, tenant="acme", project="shop", now=NOW) for _ in range(3)
            ]
            assert len({store.result(60).state().store_id for store in stores}) == 1
        for number in range(8):
            PostgresStore.open(pooled, tenant=f"team{number}", project="shop", now=NOW).close()
        assert (build_graphs(pooled), len(list(places(pooled)))) == ([], 9)
        with psycopg.connect(pooled, autocommit=True, prepare_threshold=None) as connection:
            locks = connection.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'").fetchall()
        assert locks == [(0,)]
        for store in stores:
            store.result().close()
    finally:
        with psycopg.connect(pooler, autocommit=True, prepare_threshold=None) as connection:
            connection.execute("DROP DATABASE pooled WITH (FORCE)")


def test_a_limit_is_kept_through_a_pooler(pooler: str) -> None:
    store = PostgresStore.open(pooler, tenant="acme", project="shop", now=NOW)
    keep(store, a_memory())
    with store.reading(20_000):
        assert len(store.memories.newest(Filters(), 9)) == 1
        assert len(store.memories.newest(Filters(), 9)) == 1
    store.close()
