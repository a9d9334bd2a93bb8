"""What is done for a whole server."""

from collections.abc import Iterator

import numpy as np
import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from holdfast.model.memory import Origin
from holdfast.model.search import Filters
from holdfast.model.vectors import VectorModel
from holdfast.scopes import Scopes
from holdfast.service import Service
from holdfast.stores.postgres import care
from holdfast.stores.postgres.care import build_graphs, every_store, places
from holdfast.stores.postgres.stats import FOLD_FROM
from holdfast.stores.postgres.store import PostgresStore
from holdfast.testing import NOW, a_memory, keep
from tests.conftest import FakeClock

MODEL = VectorModel("random", 16)
HOMES = [("acme", "shop"), ("acme", "site"), ("globex", "shop"), ("zeta", "shop")]


def filled(dsn: str, tenant: str, count: int) -> PostgresStore:
    """Make a store with so many memories and their vectors."""
    store = PostgresStore.open(dsn, tenant=tenant, project="shop", now=NOW)
    memories = [a_memory() for _ in range(count)]
    units = np.random.default_rng(count).standard_normal((count, 16)).astype(np.float32)
    units /= np.linalg.norm(units, axis=1, keepdims=True)
    with store.writing():
        store.memories.insert(memories)
        store.vectors.switch(MODEL)
        rows = {memory.id: units[place : place + 1] for place, memory in enumerate(memories)}
        store.vectors.put("memory", MODEL, rows, None)
    return store


def graphs(dsn: str) -> list[str]:
    with psycopg.connect(dsn) as connection:
        found = connection.execute("SELECT indexname FROM pg_indexes WHERE indexname LIKE 'vec_graph%'")
        return [name for (name,) in found]


def test_every_store_of_every_tenant_is_known(empty_postgres: str) -> None:
    stores = [filled(empty_postgres, tenant, 1) for tenant in ("acme", "globex")]
    assert [(one.tenant, one.name) for one in places(empty_postgres)] == [("acme", "shop"), ("globex", "shop")]
    for store in stores:
        store.close()


@pytest.fixture
def janitor(empty_postgres: str) -> Iterator[str]:
    """The address for a login that may look after stores, and nothing else."""
    with psycopg.connect(empty_postgres, autocommit=True) as connection:
        connection.execute("CREATE ROLE janitor LOGIN NOINHERIT IN ROLE holdfast_gc")
    yield make_conninfo(empty_postgres, user="janitor")
    with psycopg.connect(empty_postgres, autocommit=True) as connection:
        connection.execute("DROP ROLE janitor")


def service_on(store: PostgresStore, origin: Origin) -> Service:
    return Service(Scopes(store), FakeClock(NOW), lambda: origin)


def test_who_looks_after_stores_reaches_each_of_them_and_one_tenant_at_a_time(
    empty_postgres: str, janitor: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(care, "PAGE", 2)
    for tenant, project in HOMES:
        store = PostgresStore.open(empty_postgres, tenant=tenant, project=project, now=NOW)
        keep(store, a_memory(expires=NOW - 1), a_memory(content=f"kept by {tenant} in {project}"))
        for _ in range(FOLD_FROM):
            with store.writing():
                store.memories.count_read(["nobody"], NOW)
        store.close()
    seen = []
    for place, store in every_store(janitor, NOW):
        seen.append((place.tenant, place.name))
        service = service_on(store, Origin(project=place.name, tenant=place.tenant, user="upkeep"))
        assert store.upkeep.untidy()
        done = service.tending.cleanup()
        assert (len(done.gone), store.upkeep.untidy()) == (1, False)
        [left] = store.memories.newest(Filters(), 9)
        assert left.content == f"kept by {place.tenant} in {place.name}"
    assert seen == HOMES
    with psycopg.connect(janitor) as connection:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("SET ROLE holdfast_app")
        connection.rollback()
        connection.execute("SET LOCAL ROLE holdfast_gc")
        assert connection.execute("SELECT count(*) FROM holdfast.memory").fetchall() == [(0,)]


def test_a_store_that_is_gone_meanwhile_is_passed_over(empty_postgres: str) -> None:
    for tenant, project in HOMES:
        PostgresStore.open(empty_postgres, tenant=tenant, project=project, now=NOW).close()
    seen = []
    for place, _ in every_store(empty_postgres, NOW):
        seen.append(place.tenant)
        with psycopg.connect(empty_postgres) as connection:
            connection.execute("DELETE FROM holdfast.place WHERE tenant = 'globex'")
    assert seen == ["acme", "acme", "zeta"]


def test_a_large_store_gets_a_graph_of_its_own_and_answers_as_before(empty_postgres: str) -> None:
    large, small = filled(empty_postgres, "acme", 400), filled(empty_postgres, "globex", 20)
    questions = np.random.default_rng(1).standard_normal((20, 16)).astype(np.float32)
    questions /= np.linalg.norm(questions, axis=1, keepdims=True)
    before = [[near.id for near in large.vectors.nearest("memory", one, Filters(), 10)] for one in questions]
    try:
        built = build_graphs(empty_postgres, graph_from=100)
        assert (built, graphs(empty_postgres)) == (graphs(empty_postgres), built)
        assert len(built) == 1
        with psycopg.connect(empty_postgres, autocommit=True) as connection:
            connection.execute("ANALYZE holdfast.vec")
        after = [[near.id for near in large.vectors.nearest("memory", one, Filters(), 10)] for one in questions]
        same = sum(len(set(one) & set(other)) for one, other in zip(before, after, strict=True))
        assert same >= 196
        assert len(small.vectors.nearest("memory", questions[0], Filters(), 30)) == 20
        assert build_graphs(empty_postgres, graph_from=100) == []
    finally:
        with psycopg.connect(empty_postgres, autocommit=True) as connection:
            for name in graphs(empty_postgres):
                connection.execute(f"DROP INDEX holdfast.{name}")
    large.close()
    small.close()
