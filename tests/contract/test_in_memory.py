"""A store in memory: what differs from one in a file. The rest of the contract is tried with files and servers."""

import os
from pathlib import Path

import numpy as np
import pytest

from holdfast.model.search import Filters
from holdfast.model.vectors import VectorModel
from holdfast.stores.sqlite.store import SqliteStore
from tests.contract.builders import a_memory, a_session, a_turn, keep, keep_turns

MODEL = VectorModel("compass", 2)


def test_a_store_in_memory_leaves_nothing_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No file, no log, no sidecar, no graph, where it is opened or where temporary files go."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    store = SqliteStore.in_memory(hnsw_from=2)
    memories = [a_memory() for _ in range(5)]
    keep(store, *memories)
    keep_turns(store, session := a_session(), a_turn(session, "hello"))
    with store.writing():
        store.vectors.switch(MODEL)
        store.vectors.put("memory", MODEL, {one.id: np.eye(2, dtype=np.float32)[:1] for one in memories}, None)
    for _ in range(2):
        assert len(store.vectors.nearest("memory", np.eye(2, dtype=np.float32)[0], Filters(), 9)) == 5
        store.vectors.settle()
    with store.writing():
        store.memories.delete([memories[0].id])
    assert store.scrub() is False
    while store.upkeep.compact(100):
        pass
    store.close()
    assert os.listdir(tmp_path) == []


def test_a_file_of_that_name_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    foreign = tmp_path / ":memory:"
    store = SqliteStore.in_memory()
    foreign.write_text("somebody's notes")
    keep(store, a_memory())
    store.close()
    assert foreign.read_text() == "somebody's notes"


def test_two_stores_in_memory_share_nothing() -> None:
    one, other = SqliteStore.in_memory(), SqliteStore.in_memory()
    keep(one, a_memory())
    assert (len(one.memories.newest(Filters(), 9)), other.memories.newest(Filters(), 9)) == (1, [])
    assert one.state().store_id != other.state().store_id
    one.close()
    other.close()


def test_a_store_in_memory_says_that_nothing_is_kept() -> None:
    """The schema 0 tells the service that this store stands in for one that is not there."""
    store = SqliteStore.in_memory("acme/app")
    state, health = store.state(), store.upkeep.health()
    store.close()
    assert (state.project, state.place, state.schema) == ("acme/app", "memory", 0)
    assert (state.journal, state.mount, state.bytes, state.read_only) == ("none", None, 0, None)
    assert (health.file_bytes, health.free_bytes) == (0, 0)
