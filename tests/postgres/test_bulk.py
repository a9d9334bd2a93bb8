"""Many rows go to the server in batches, and arrive as the same."""

from collections.abc import Callable

import numpy as np
import pytest
from msgspec.structs import replace

from holdfast.errors import StoreRaced
from holdfast.model.search import Filters
from holdfast.model.vectors import VectorModel
from holdfast.ports import Store
from holdfast.stores.postgres import database, matching, vectors
from holdfast.stores.postgres.store import PostgresStore
from holdfast.text.words import terms_of
from tests.contract.builders import NOW, a_memory, a_session, a_turn

MODEL = VectorModel("random", 8)


@pytest.fixture
def open_store(empty_postgres: str) -> Callable[[str], PostgresStore]:
    return lambda tenant: PostgresStore.open(empty_postgres, tenant=tenant, project="shop", now=NOW)


def filled(store: PostgresStore) -> Store:
    """Put the same many rows into a store, in two steps of one transaction."""
    session = a_session(id="01a31600-0000-7000-8000-00000000aaaa")
    memories = [
        a_memory(
            id=f"01a31600-0000-7000-8000-{place:012x}",
            content=f'walrus {place} "quoted" \\ back\tslash café',
            tags=("a", 'b "c"'),
            files=("src/app.py",),
            session=session.id if place % 2 else None,
            metadata={"n": [1, None, "é"]},
            importance=1,
            expires=NOW + place if place % 3 else None,
        )
        for place in range(60)
    ]
    turns = [
        a_turn(session, f"lynx {place}\nand so on", id=f"01a31600-0000-7000-8000-1{place:011x}", ref=f"r{place}")
        for place in range(60)
    ]
    units = np.random.default_rng(7).standard_normal((60, 8)).astype(np.float32)
    units /= np.linalg.norm(units, axis=1, keepdims=True)
    with store.writing():
        store.sessions.insert(session)
        store.memories.insert(memories[:50])
        store.turns.insert(turns)
        with store.writing():
            store.memories.insert(memories[50:])
            store.memories.insert(
                [replace(a_memory(), id=f"01a31600-0000-7000-8000-2{n:011x}") for n in range(50)]
            )
            store.memories.delete([f"01a31600-0000-7000-8000-2{n:011x}" for n in range(50)])
        store.vectors.switch(MODEL)
        rows = {memory.id: units[place : place + 1] for place, memory in enumerate(memories)}
        store.vectors.put("memory", MODEL, rows, None)
    return store


def answers(store: Store) -> list[object]:
    query = np.eye(8, dtype=np.float32)[0]
    return [
        [replace(one, tenant="-") for one in store.memories.walk(None, 1_000)],
        store.turns.walk(None, 1_000),
        [replace(one, tenant="-") for one in store.sessions.walk(None, 9)],
        store.memories.match(terms_of("walrus 7 café slash"), Filters(), 500),
        store.turns.match(terms_of("lynx 7 on"), Filters(), 500),
        store.sessions.match(terms_of("lynx 7"), Filters(), 9),
        store.vectors.nearest("memory", query, Filters(), 50),
        (store.vectors.waiting(), store.upkeep.used(), store.counts(NOW)),
    ]


def test_many_rows_at_once_are_the_same_as_one_after_the_other(
    open_store: Callable[[str], PostgresStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = filled(open_store("acme"))
    monkeypatch.setattr(matching, "MOST_POSTINGS", 30)
    monkeypatch.setattr(database, "MOST_ROWS", 1)
    monkeypatch.setattr(vectors, "MOST_ROWS", 7)
    other = filled(open_store("globex"))
    for mine, theirs in zip(answers(one), answers(other), strict=True):
        assert mine == theirs
    one.close()
    other.close()


def test_what_is_there_already_is_refused_whole(open_store: Callable[[str], PostgresStore]) -> None:
    store = open_store("acme")
    known = a_memory(content="the walrus sleeps")
    with store.writing():
        store.memories.insert([known])
    with pytest.raises(StoreRaced), store.writing():
        store.memories.insert(
            [*(a_memory() for _ in range(300)), replace(a_memory(), fingerprint=known.fingerprint)]
        )
    assert store.counts(NOW).memories == 1
    store.close()


def test_rows_for_another_tenant_are_refused_at_once_too(open_store: Callable[[str], PostgresStore]) -> None:
    store = open_store("acme")
    rows = [{"tenant": "globex", "target": "x", "documents": 1, "tokens": 0, "bytes": 0}] * 9
    with pytest.raises(Exception, match="row-level security"), store.writing():
        store._database.put("stat_add", rows)
    store.close()
