"""Two processes write while a third searches by meaning: what was acknowledged is found, what is gone is not."""

from pathlib import Path

import numpy as np

from holdfast import Holdfast
from holdfast.embedding.hashing import Hashing
from holdfast.model.search import Filters
from holdfast.stores.sqlite.store import SqliteStore
from tests.faults.processes import database, finish, start, tell_to_stop

CHANGES = 60


def test_a_search_by_meaning_never_misses_a_committed_row_and_never_finds_a_wrong_one(project: Path) -> None:
    """The searcher reads the rows and asks for each vector in one transaction, again and again."""
    with Holdfast.open(project) as memory:
        memory.add("The first note of all")
    writers = [start("churn", project, str(number), str(CHANGES)) for number in range(2)]
    searcher = start("compare_nearest", project)
    written = [len(finish(writer)) for writer in writers]
    tell_to_stop(project)
    rounds, checked = map(int, finish(searcher))
    assert written == [CHANGES, CHANGES]
    assert min(rounds, checked) > 0


def test_sidecars_made_while_others_write_are_right(project: Path) -> None:
    """One process settles again and again; at the end a fresh one finds every row by its own vector."""
    with Holdfast.open(project) as memory:
        memory.add("The first note of all")
    writers = [start("churn", project, str(number), str(CHANGES)) for number in range(2)]
    with Holdfast.open(project) as memory:
        while any(writer.poll() is None for writer in writers):
            memory.flush()
    for writer in writers:
        finish(writer)
    store = SqliteStore.open(database(project), project="x", now=1)
    memories = store.memories.newest(Filters(), 100_000)
    assert len(memories) > 20
    missing = [
        memory.content
        for memory in memories
        if memory.id
        not in {
            one.id
            for one in store.vectors.nearest("memory", Hashing().embed_query(memory.content), Filters(), 5)
            if one.cosine > 0.99
        }
    ]
    waiting = store.vectors.waiting()["memory"]
    assert len(missing) <= waiting
    everything = store.vectors.nearest("memory", np.full(256, 1 / 16, np.float32), Filters(), 100_000)
    assert {one.id for one in everything} <= {memory.id for memory in memories}
    assert len(everything) == len(memories) - waiting
    store.close()
