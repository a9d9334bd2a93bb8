"""A store moves to a server and back, and nothing is lost or changed on the way."""

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from holdfast.errors import InvalidInput
from holdfast.migrate import extent, transfer
from holdfast.model.memory import Conflict
from holdfast.model.records import Access, Event
from holdfast.model.search import Filters
from holdfast.model.vectors import Failure, VectorModel
from holdfast.ports import Store
from holdfast.stores.postgres.store import PostgresStore
from holdfast.stores.sqlite.store import SqliteStore
from tests.contract.briefs import a_receipt, an_item
from tests.contract.builders import NOW, a_finding, a_memory, a_session, a_turn, an_id
from tests.contract.conflicts import a_proposal

MODEL = VectorModel("random", 8)


def everything(store: Store) -> dict[str, object]:
    """Return all that a store holds, but for whose it is."""
    sessions = store.sessions.walk(None, 1_000)
    memories = store.memories.walk(None, 1_000)
    turns = store.turns.walk(None, 1_000)
    kept = store.vectors.kept("memory", [memory.id for memory in memories])
    return {
        "memories": [replace(memory, tenant="-") for memory in memories],
        "sessions": [replace(session, tenant="-") for session in sessions],
        "turns": turns,
        "findings": [store.findings.of(session.id, None, 100) for session in sessions],
        "conflicts": store.conflicts.walk(None, 100),
        "proposals": store.proposals.walk(None, 100),
        "vectors": {row: chunks.round(3).tolist() for row, chunks in kept.items()},
        "waiting": store.vectors.waiting(),
        "forgotten": store.tombstones.sealed(),
        "events": store.audit.events(1_000),
        "looks": store.accesses.recent(1_000),
        "counts": store.counts(NOW),
        "aliases": store.aliases.all(),
        "receipts": store.receipts.recent(1_000),
        "spooled": store.spooled.noted(),
        "failure": store.vectors.failure(),
        "totals": store.upkeep.totals(),
        "facts": [store.upkeep.fact(name) for name in ("believed_at", "shrinking", "tending_left", "fading")],
        "over": [one.id for _, one in store.upkeep.over(NOW, 0, 100)],
        "least read": [one.id for one in store.upkeep.least_read(0, 1_000)],
        "spare": store.upkeep.spare_turns(None, 1_000),
    }


@pytest.fixture
def full(tmp_path: Path) -> Iterator[SqliteStore]:
    """A store with something of everything."""
    luck, numbers = random.Random(5), np.random.default_rng(5)
    store = SqliteStore.open(tmp_path / "full" / "memory.db", project="shop", now=NOW)
    memories = [a_memory(content=f"walrus number {place}", reads=place % 3) for place in range(1_200)]
    memories[3] = replace(memories[3], valid_until=NOW, superseded_by=memories[4].id, metadata={"a": [1.5, None]})
    memories[5] = replace(
        memories[5], expires=NOW - 1, tags=("é", "b c"), files=("src/a.py",), file_hashes={"a": "0"}
    )
    memories[6] = replace(memories[6], fades=NOW - 1)
    memories[7] = replace(memories[7], fades=NOW + 1, accessed_at=NOW - 3)
    ended = {"status": "completed", "ended_at": NOW}
    sessions = [a_session(ref=f"run {place}", summary="done", **(ended if place else {})) for place in range(3)]
    turns = [
        a_turn(luck.choice(sessions), f"turn {place}", tool="bash" if place % 4 else None) for place in range(700)
    ]
    units = numbers.standard_normal((600, 8)).astype(np.float32)
    units /= np.linalg.norm(units, axis=1, keepdims=True)
    with store.writing():
        store.memories.insert(memories)
        for session in sessions:
            store.sessions.insert(session)
        store.turns.insert(turns)
        store.findings.put([a_finding(session, memory=memories[0].id) for session in sessions for _ in range(3)])
        store.conflicts.record(
            [Conflict(id=an_id(), first=memories[0].id, second=memories[1].id, kind="ambiguous", detected_at=NOW)]
        )
        store.proposals.put([a_proposal(memories[0]), a_proposal(memories[1], outcome="dropped", settled_at=NOW)])
        store.vectors.switch(MODEL)
        vectors = {memory.id: units[place : place + 1 + place % 2] for place, memory in enumerate(memories[:500])}
        store.vectors.put("memory", MODEL, vectors, None)
        store.tombstones.add(["a" * 64, "b" * 64])
        for place in range(30):
            store.audit.record(Event(action="add", actor="cli", at=NOW + place, ids=(memories[place].id,)))
        store.accesses.record([Access(memory=memories[0].id, action="get", at=NOW, score=0.5, query="why")])
        store.audit.record(Event(action="evict", actor="upkeep", at=NOW, ids=("x", "y")))
        store.memories.count_read([memories[9].id], NOW)
        store.turns.delete([turns[0].id])
        store.aliases.add("ui", "web")
        store.aliases.add("ui", "app")
        for place in range(3):
            items = (an_item(id=memories[0].id), an_item(kind="turn"))
            store.receipts.record(a_receipt(at=NOW - place, took_ms=place, items=items))
        store.spooled.claim("spool", 7, NOW)
        store.vectors.note_failure(Failure("random", "refused", NOW))
        for name, value in (("believed_at", NOW), ("shrinking", 1), ("tended_at", NOW), ("fading", "fact:9")):
            store.upkeep.note(name, value)
    yield store
    store.close()


@pytest.fixture
def server(empty_postgres: str) -> Iterator[PostgresStore]:
    """An empty store on a server."""
    store = PostgresStore.open(empty_postgres, tenant="acme", project="shop", now=NOW)
    yield store
    store.close()


def test_a_store_goes_to_a_server_and_back_unchanged(
    full: SqliteStore, server: PostgresStore, tmp_path: Path
) -> None:
    steps: list[int] = []
    done = transfer(full, server, "acme", NOW, steps.append)
    assert (done.moved, sum(steps)) == (1_200 + 699 + 3, extent(full, NOW))
    assert everything(server) == everything(full)
    assert {memory.tenant for memory in server.memories.newest(Filters(), 10)} == {"acme"}
    back = SqliteStore.open(tmp_path / "back" / "memory.db", project="shop", now=NOW)
    transfer(server, back, "local", NOW, steps.append)
    assert everything(back) == everything(full)
    assert (back.audit.broken_at(), server.audit.broken_at()) == (None, None)
    back.close()


def test_an_interrupted_transfer_goes_on_where_it_stopped(full: SqliteStore, server: PostgresStore) -> None:
    class Interrupted(Exception):
        pass

    for stop in (400, 900, 1_500, 2_600):
        seen = 0

        def step(count: int, stop: int = stop) -> None:
            nonlocal seen
            seen += count
            if seen > stop:
                raise Interrupted

        with pytest.raises(Interrupted):
            transfer(full, server, "acme", NOW, step)
    transfer(full, server, "acme", NOW, lambda count: None)
    assert everything(server) == everything(full)
    again = transfer(full, server, "acme", NOW, lambda count: None)
    assert again.moved == 0


def forget_something(store: Store) -> None:
    store.tombstones.add(["f" * 64])


def note_something(store: Store) -> None:
    store.audit.record(Event(action="add", actor="somebody", at=NOW, ids=()))


OTHERS: dict[str, Callable[[Store], None]] = {
    "memories": lambda store: store.memories.insert([a_memory()]),
    "sessions": lambda store: store.sessions.insert(a_session()),
    "tombstones": forget_something,
    "events": note_something,
}


@pytest.mark.parametrize("what", OTHERS)
def test_a_target_that_holds_something_else_is_refused(
    full: SqliteStore, server: PostgresStore, what: str
) -> None:
    with server.writing():
        OTHERS[what](server)
    before = everything(server)
    with pytest.raises(InvalidInput, match=f"target.*other {what}"):
        transfer(full, server, "acme", NOW, lambda count: None)
    assert everything(server) == before


@pytest.mark.parametrize("what", OTHERS)
def test_a_target_is_looked_through_to_its_end(full: SqliteStore, server: PostgresStore, what: str) -> None:
    transfer(full, server, "acme", NOW, lambda count: None)
    with server.writing():
        OTHERS[what](server)
    with pytest.raises(InvalidInput, match=f"target.*other {what}"):
        transfer(full, server, "acme", NOW, lambda count: None)
    assert server.tombstones.standing(["f" * 64]) == ({"f" * 64} if what == "tombstones" else set())
