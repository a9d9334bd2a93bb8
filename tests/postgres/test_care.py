"""What is done for a whole server."""

import numpy as np
import psycopg

from holdfast.model.search import Filters
from holdfast.model.vectors import VectorModel
from holdfast.stores.postgres.care import build_graphs, places
from holdfast.stores.postgres.store import PostgresStore
from holdfast.testing import NOW, a_memory

MODEL = VectorModel("random", 16)


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
