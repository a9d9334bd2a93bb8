"""A process holds copies of vectors: they find what a comparison of all finds, and never what is gone."""

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from holdfast.embedding.scan import Probe
from holdfast.model.memory import Memory
from holdfast.model.search import Filters
from holdfast.model.vectors import MEMORY, VectorModel
from holdfast.stores.postgres import vector_copies
from holdfast.stores.postgres.connections import Connections
from holdfast.stores.postgres.facts import Sum
from holdfast.stores.postgres.store import PostgresStore
from tests.contract.builders import NOW, a_memory, keep

MODEL = VectorModel("random", 64)
Units = NDArray[np.float32]


def units(count: int, seed: int = 1) -> Units:
    """Return vectors of length 1 that lie in clusters, as those of texts do."""
    luck = np.random.default_rng(seed)
    centres = np.random.default_rng(0).standard_normal((12, MODEL.dimensions))
    vectors = centres[luck.integers(0, 12, count)] + 0.6 * luck.standard_normal((count, MODEL.dimensions))
    unit_vectors: Units = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return unit_vectors


def put(store: PostgresStore, memories: list[Memory], vectors: Units, model: VectorModel = MODEL) -> None:
    with store.writing():
        chunks = {memory.id: vectors[at : at + 1] for at, memory in enumerate(memories)}
        assert store.vectors.put(MEMORY, model, chunks, None) == len(memories)


def nearest(store: PostgresStore, question: Units, limit: int = 10) -> list[str]:
    return [near.id for near in store.vectors.nearest(MEMORY, question, Filters(), limit)]


@pytest.fixture
def store(empty_postgres: str) -> Iterator[PostgresStore]:
    with closing(open_store(empty_postgres)) as store:
        with store.writing():
            store.vectors.switch(MODEL)
        yield store


def open_store(dsn: str, connections: Connections | None = None) -> PostgresStore:
    """Open the store; without the same connections it is another process's."""
    return PostgresStore.open(dsn, tenant="acme", project="shop", now=NOW, connections=connections)


def filled(store: PostgresStore, count: int) -> list[Memory]:
    memories = [a_memory() for _ in range(count)]
    keep(store, *memories)
    put(store, memories, units(count))
    return memories


def test_copies_find_what_a_comparison_of_all_finds(store: PostgresStore) -> None:
    memories = filled(store, 1_500)
    vectors = units(1_500)
    same = 0
    for question in units(40, seed=2):
        exact = np.argsort(-(vectors.astype(np.float16).astype(np.float32) @ question), kind="stable")[:10]
        same += len({memories[at].id for at in exact} & set(nearest(store, question)))
    assert same / 400 >= 0.99


def test_what_another_process_writes_changes_or_removes_is_seen_by_the_next_search(
    store: PostgresStore, empty_postgres: str
) -> None:
    memories = filled(store, 30)
    question = units(1, seed=3)[0]
    assert len(nearest(store, question, 100)) == 30
    with closing(open_store(empty_postgres)) as other:
        new = a_memory()
        keep(other, new)
        put(other, [new], question[None, :])
        assert nearest(store, question, 1) == [new.id]
        with other.writing():
            other.memories.replace(replace(new, content="another text altogether", fingerprint="f" * 64))
        assert new.id not in nearest(store, question, 100)
        put(other, [new], -question[None, :])
        assert nearest(store, question, 100)[-1] == new.id
        with other.writing():
            other.memories.delete([memory.id for memory in memories[:10]])
        assert len(nearest(store, question, 100)) == 21
        while other.upkeep.compact(0):
            pass
        assert len(nearest(store, question, 100)) == 21
        longer = VectorModel("longer", 32)
        with other.writing():
            other.vectors.switch(longer)
        assert nearest(store, question, 100) == []


def test_changes_that_are_committed_late_are_not_missed(store: PostgresStore, empty_postgres: str) -> None:
    """One that began before, and so has a lower number, may be kept after others that a copy knows."""
    filled(store, 5)
    question = units(1, seed=4)[0]
    early, late = a_memory(), a_memory()
    keep(store, early, late)
    with closing(open_store(empty_postgres)) as other, closing(open_store(empty_postgres)) as third:
        with other.writing():
            other.vectors.put(MEMORY, MODEL, {early.id: question[None, :]}, None)
            other._database.write_changes()
            put(third, [late], -question[None, :])
            assert len(nearest(store, question, 100)) == 6
        assert nearest(store, question, 1) == [early.id]


def test_changes_that_were_summed_up_are_read_once_more(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    memories = filled(store, 20)
    question = units(1, seed=5)[0]
    before = nearest(store, question, 100)
    monkeypatch.setattr("holdfast.stores.postgres.stats.FOLD_FROM", 1)
    monkeypatch.setattr("holdfast.stores.postgres.stats.MOST_ROWS", 3)
    assert store.upkeep.compact(0)
    assert nearest(store, question, 100) == before
    with store.writing():
        store.memories.delete([memories[0].id])
    assert sorted(nearest(store, question, 100)) == sorted(set(before) - {memories[0].id})


def test_who_has_little_time_loads_no_copy_and_is_answered(store: PostgresStore) -> None:
    filled(store, 20)
    question = units(1, seed=6)[0]
    with store.reading(20_000):
        assert len(nearest(store, question)) == 10
    assert not store.connections.copies._copies
    assert len(nearest(store, question)) == 10
    assert len(store.connections.copies._copies) == 1


def test_copies_that_were_used_longest_ago_are_let_go(
    empty_postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_copies, "MOST_BYTES", 2 * 20 * (MODEL.dimensions + 12))
    with closing(Connections.open(empty_postgres)) as connections:
        for project in ("one", "two", "three"):
            store = PostgresStore.open(
                empty_postgres, tenant="acme", project=project, now=NOW, connections=connections
            )
            with store.writing():
                store.vectors.switch(MODEL)
            filled(store, 20)
            nearest(store, units(1)[0])
        assert len(connections.copies._copies) == 2


class OneVector:
    """A store of one vector, as `VectorSource`: what a copy reads, without a server."""

    def pages(self) -> Iterator[list[vector_copies.Chunk]]:
        numbers = units(1)[0].astype(">f2").tobytes()
        yield [vector_copies.Chunk(1, 0, bytes(4) + numbers)]

    def changes(self, known: Iterable[int]) -> vector_copies.Changes:
        return vector_copies.Changes([], frozenset(), [])

    def numbers(self) -> list[int]:
        return [1]


def test_a_copy_is_scanned_by_one_thread_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also by who has just loaded it: others find it from then on, and bring it up to date."""
    scan_of, were_locked = vector_copies.VectorCopy.candidates, []

    def candidates(copy: vector_copies.VectorCopy, probe: Probe, limit: int) -> list[int]:
        were_locked.append(copy.lock.locked())
        return scan_of(copy, probe, limit)

    monkeypatch.setattr(vector_copies.VectorCopy, "candidates", candidates)
    copies, key, known = vector_copies.VectorCopies(), ("acme", 1, MEMORY), Sum(documents=1)
    for _ in ("loads it", "finds it"):
        assert copies.candidates(key, units(1)[0], 5, known, OneVector(), may_load=True) == [1]
    assert were_locked == [True, True]
