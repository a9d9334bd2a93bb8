"""What is done for a whole server."""

from collections.abc import Iterator
from contextlib import closing

import numpy as np
import psycopg
import pytest
from pgvector import HalfVector
from psycopg.conninfo import make_conninfo

from holdfast.model.memory import Fading, Origin
from holdfast.model.search import Filters
from holdfast.model.vectors import VectorModel
from holdfast.service.scopes import Scopes
from holdfast.service.service import Service
from holdfast.storage.postgres import every_store
from holdfast.stores.postgres import care, stats, vectors
from holdfast.stores.postgres.care import build_graphs, places
from holdfast.stores.postgres.rows import PostgresTables
from holdfast.stores.postgres.store import PostgresStore
from tests.conftest import FakeClock
from tests.contract.builders import NOW, a_memory, keep
from tests.postgres.server import clear

MODEL = VectorModel("random", 16)
HOMES = [("acme", "shop"), ("acme", "site"), ("globex", "shop"), ("zeta", "shop")]


def filled(dsn: str, tenant: str, count: int) -> PostgresStore:
    """Make a store with so many memories and their vectors."""
    store = PostgresStore.open(dsn, tenant=tenant, project="shop", now=NOW)
    with store.writing():
        store.memories.insert([a_memory() for _ in range(count)])
    embed(store, MODEL)
    return store


def embed(store: PostgresStore, model: VectorModel) -> None:
    """Give every memory a vector of a model."""
    ids = [memory.id for memory in store.memories.walk(None, 1_000)]
    units = np.random.default_rng(len(ids)).standard_normal((len(ids), model.dimensions)).astype(np.float32)
    units /= np.linalg.norm(units, axis=1, keepdims=True)
    with store.writing():
        store.vectors.switch(model)
        store.vectors.put("memory", model, {one: units[at : at + 1] for at, one in enumerate(ids)}, None)


def graphs(dsn: str) -> list[str]:
    with psycopg.connect(dsn) as connection:
        found = connection.execute("SELECT indexname FROM pg_indexes WHERE indexname LIKE 'vec_graph%'")
        return [name for (name,) in found]


def parts(dsn: str) -> set[tuple[str, int]]:
    """Return which parts of the table of vectors hold any, and how many."""
    with psycopg.connect(dsn) as connection:
        query = "SELECT tableoid::regclass::text, count(*) FROM holdfast.vec GROUP BY 1"
        rows = connection.execute(query).fetchall()
    return {(name.removeprefix("holdfast."), count) for name, count in rows}


def _part(store: PostgresStore) -> str:
    return f"vec_{store._database.place}"


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
    monkeypatch.setattr(stats, "FOLD_FROM", 10)
    for tenant, project in HOMES:
        store = PostgresStore.open(empty_postgres, tenant=tenant, project=project, now=NOW)
        kept = a_memory(content=f"kept by {tenant} in {project}")
        keep(store, a_memory(expires=NOW - 1), kept)
        for _ in range(10):
            with store.writing():
                store.memories.count_read([kept.id], NOW)
        store.close()
    seen = []
    with every_store(janitor, Fading({})) as entries:
        for entry in entries:
            seen.append((entry.tenant, entry.name))
            with closing(entry.open()) as store:
                service = service_on(store, Origin(project=entry.name, tenant=entry.tenant, user="upkeep"))
                assert store.upkeep.untidy()
                done = service.upkeep.cleanup()
                assert (len(done.gone), store.upkeep.untidy()) == (1, False)
                [left] = store.memories.newest(Filters(), 9)
                assert left.content == f"kept by {entry.tenant} in {entry.name}"
    assert seen == HOMES
    with psycopg.connect(janitor) as connection:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("SET ROLE holdfast_app")
        connection.rollback()
        connection.execute("SET LOCAL ROLE holdfast_gc")
        assert connection.execute("SELECT count(*) FROM holdfast.memory").fetchall() == [(0,)]


def test_a_large_store_gets_a_graph_of_its_own_and_answers_as_before(
    empty_postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "GRAPH_FROM", 100)
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
        assert same >= 198
        assert len(small.vectors.nearest("memory", questions[0], Filters(), 30)) == 20
        assert parts(empty_postgres) == {(_part(large), 400), ("vec_rest", 20)}
        keep(large, a_memory(content="the walrus sleeps"))
        embed(large, MODEL)
        assert parts(empty_postgres) == {(_part(large), 401), ("vec_rest", 20)}
        assert build_graphs(empty_postgres, graph_from=100) == []
    finally:
        with psycopg.connect(empty_postgres, autocommit=True) as connection:
            for name in graphs(empty_postgres):
                connection.execute(f"DROP INDEX holdfast.{name}")
    large.close()
    small.close()


@pytest.fixture
def graphless(empty_postgres: str) -> Iterator[str]:
    """An empty database in which no graph is left behind."""
    yield empty_postgres
    with psycopg.connect(empty_postgres, autocommit=True) as connection:
        for name in graphs(empty_postgres):
            connection.execute(f"DROP INDEX holdfast.{name}")


def test_a_model_of_another_dimension_is_in_nobodys_way(graphless: str) -> None:
    """Its vectors can be written while the old graph is there; then that goes, however few they are."""
    store = filled(graphless, "acme", 40)
    [old] = build_graphs(graphless, graph_from=30)
    embed(store, VectorModel("longer", 24))
    assert len(store.vectors.nearest("memory", np.eye(24, dtype=np.float32)[0], Filters(), 50)) == 40
    assert build_graphs(graphless, graph_from=50) == []
    assert graphs(graphless) == []
    [new] = build_graphs(graphless, graph_from=30)
    assert (old != new, graphs(graphless)) == (True, [new])
    store.close()


def test_a_graph_of_a_store_that_is_gone_goes_too(graphless: str) -> None:
    filled(graphless, "acme", 10).close()
    build_graphs(graphless, graph_from=5)
    clear(graphless)
    assert build_graphs(graphless, graph_from=5) == []
    assert graphs(graphless) == []


@pytest.mark.parametrize("target", ["memory", "turn"])
def test_a_search_of_a_large_store_walks_through_its_graph(graphless: str, target: str) -> None:
    """The server says so itself, for the role that asks and with its policies."""
    store = filled(graphless, "acme", 500)
    with psycopg.connect(graphless, autocommit=True) as connection:
        connection.execute("UPDATE holdfast.vec SET target = %s", (target,))
        [name] = build_graphs(graphless, graph_from=500)
        connection.execute("ANALYZE holdfast.vec")
    query = store._database.text(f"{target}_near", 16)
    unit = HalfVector(np.eye(16, dtype=np.float32)[0])
    params = PostgresTables(store._database).filters(Filters()) | {"query": unit, "limit": 10, "reach": 44}
    with store.reading(), store._database.raw() as connection:
        rows = connection.execute(f"EXPLAIN {query}", store._database.with_place(params)).fetchall()
    assert f"Index Scan using {name}" in "\n".join(line for (line,) in rows)
    store.close()
