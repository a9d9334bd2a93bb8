"""SQLite and PostgreSQL answer alike: the same rows in, the same values out, whatever is asked."""

import contextlib
import random
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from msgspec.structs import replace
from numpy.typing import NDArray

from holdfast.model.memory import Memory
from holdfast.model.records import Access, Event
from holdfast.model.search import Filters
from holdfast.model.session import Session, Turn
from holdfast.model.vectors import VectorModel
from holdfast.ports import Store
from holdfast.stores.postgres.store import PostgresStore
from holdfast.stores.sqlite.store import SqliteStore
from holdfast.text.words import terms_of
from tests.contract.builders import NOW, a_session, a_turn
from tests.contract.rows import FILES, assert_alike, random_filters, random_memory, sentence, shape, some
from tests.postgres.server import clear

SEEDS = range(3)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two stores with the same rows."""

    sqlite: Store
    postgres: Store
    memories: list[Memory]
    sessions: list[Session]
    turns: list[Turn]

    @property
    def both(self) -> tuple[Store, Store]:
        return self.sqlite, self.postgres


def fill(pair: Pair) -> None:
    """Put the same rows into both stores, change some, remove some."""
    for store in pair.both:
        with store.writing():
            store.memories.insert(pair.memories)
            for session in pair.sessions:
                store.sessions.insert(session)
            store.turns.insert(pair.turns)
            for memory in pair.memories[::7]:
                store.memories.replace(
                    replace(memory, content=memory.content + " walrus", tags=("red",), status="pinned")
                )
            for turn in pair.turns[::5]:
                store.turns.replace(replace(turn, text="masked lynx"))
            store.memories.delete([memory.id for memory in pair.memories[3::11]])
            store.memories.count_read([memory.id for memory in pair.memories[::4]], NOW + 1)
            store.tombstones.add([memory.fingerprint for memory in pair.memories[::6]])
            store.audit.record(Event(action="add", actor="a", at=NOW, ids=("x",), detail={"n": 1}))
            store.accesses.record([Access(memory=one.id, action="get", at=NOW) for one in pair.memories[:9]])


def a_pair(seed: int, sqlite: Store, postgres: Store) -> Pair:
    """Fill two stores with the same random rows."""
    luck = random.Random(seed)
    memories: list[Memory] = []
    for number in range(120):
        memories.append(random_memory(luck, number, memories))
    sessions = [
        a_session(project=luck.choice(("one", "two")), started_at=NOW + luck.randint(0, 3)) for _ in range(6)
    ]
    turns = [
        a_turn(
            luck.choice(sessions),
            sentence(luck, 20),
            at=NOW + luck.randint(0, 20),
            files=some(luck, FILES),
            role=luck.choice(("user", "assistant", "Ann", "Tool")),
        )
        for _ in range(60)
    ]
    pair = Pair(sqlite, postgres, memories, sessions, turns)
    fill(pair)
    return pair


@pytest.fixture(scope="module")
def pairs(postgres: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Pair]]:
    """A file and a project on a server for each seed. The tests only read, or write what no other test reads."""
    clear(postgres)
    with contextlib.ExitStack() as stack:
        pairs = []
        for seed in SEEDS:
            path = tmp_path_factory.mktemp("parity") / "store" / "memory.db"
            sqlite = SqliteStore.open(path, project=f"parity-{seed}", now=NOW)
            server = PostgresStore.open(postgres, tenant="local", project=f"parity-{seed}", now=NOW)
            stack.callback(sqlite.close)
            stack.callback(server.close)
            pairs.append(a_pair(seed, sqlite, server))
        yield pairs


def test_both_stores_give_equal_matches(pairs: list[Pair]) -> None:
    """Every count, every candidate."""
    for pair in pairs:
        luck = random.Random(99)
        answers = 0
        for _ in range(40):
            terms = terms_of(sentence(luck, 6))
            filters = random_filters(luck, pair.sessions)
            memories = [store.memories.match(terms, filters, 1_000) for store in pair.both]
            assert_alike(*memories)
            assert_alike(*(store.turns.match(terms, filters, 1_000) for store in pair.both))
            answers += bool(memories[0].candidates)
        assert answers > 15


def test_both_stores_match_sessions_alike(pairs: list[Pair]) -> None:
    """By the words of all their turns."""
    for pair in pairs:
        luck = random.Random(96)
        answers = 0
        for _ in range(40):
            terms = terms_of(sentence(luck, 6))
            filters = random_filters(luck, pair.sessions)
            one, other = (store.sessions.match(terms, filters, 1_000) for store in pair.both)
            assert replace(one, candidates=()) == replace(other, candidates=())
            assert [shape(candidate) for candidate in one.candidates] == [
                shape(candidate) for candidate in other.candidates
            ]
            answers += bool(one.candidates)
        assert answers > 15


def units(numbers: np.random.Generator, count: int) -> NDArray[np.float32]:
    """Make so many vectors of length 1."""
    rows = numbers.standard_normal((count, 12)).astype(np.float32)
    unit: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


def test_both_stores_find_the_same_nearest(pairs: list[Pair]) -> None:
    """Whatever the filters, with several chunks a row; the sidecar changes nothing."""
    for pair in pairs:
        luck = random.Random(95)
        numbers = np.random.default_rng(95)
        model = VectorModel("random", 12)

        vectors = {
            "memory": {memory.id: units(numbers, luck.randint(1, 4)) for memory in pair.memories[::2]},
            "turn": {turn.id: units(numbers, luck.randint(1, 3)) for turn in pair.turns[::2]},
        }
        for store in pair.both:
            with store.writing():
                store.vectors.switch(model)
                for target, rows in vectors.items():
                    store.vectors.put(target, model, rows, None)
        for turn in range(20):
            if turn == 10:
                pair.sqlite.vectors.settle()
            filters, query = random_filters(luck, pair.sessions), units(numbers, 1)[0]
            for target in vectors:
                for limit in (1, 7, 1_000):
                    one, other = (store.vectors.nearest(target, query, filters, limit) for store in pair.both)
                    assert [near.cosine for near in one] == pytest.approx(
                        [near.cosine for near in other], abs=2e-3
                    )
                    if limit == 1_000:  # a shorter answer may end between two that tie but for rounding
                        assert {near.id for near in one} == {near.id for near in other}


def test_a_limit_keeps_the_best_in_both_stores(pairs: list[Pair]) -> None:
    """A shorter answer is the beginning of the longer one, but for ids that tie at its end."""
    for pair in pairs:
        luck = random.Random(98)
        for _ in range(20):
            terms = terms_of(sentence(luck, 4))
            for store in pair.both:
                whole = [
                    shape(candidate) for candidate in store.memories.match(terms, Filters(), 1_000).candidates
                ]
                cut = [shape(candidate) for candidate in store.memories.match(terms, Filters(), 10).candidates]
                assert cut == whole[:10]


def test_both_stores_give_equal_reads_of_memories(pairs: list[Pair]) -> None:
    """Lists, timelines, histories, duplicates and short ids."""
    for pair in pairs:
        luck = random.Random(97)
        ids = [memory.id for memory in pair.memories]
        prints = [memory.fingerprint for memory in pair.memories]
        here, there = pair.sqlite.memories, pair.postgres.memories
        assert here.get(ids) == there.get(ids)
        assert len(here.get(ids)) > 100
        for _ in range(40):
            filters = random_filters(luck, pair.sessions)
            assert here.newest(filters, 50) == there.newest(filters, 50)
            anchor = luck.choice(there.get(ids))
            assert here.around(anchor, 4, filters) == there.around(anchor, 4, filters)
        for memory_id in ids[::3]:
            assert here.history(memory_id) == there.history(memory_id)
            assert here.ending(memory_id[-8:]) == there.ending(memory_id[-8:])
        for project in ("one", "two", "three"):
            assert here.saying(project, prints) == there.saying(project, prints)


def test_both_stores_give_equal_reads_of_everything_else(pairs: list[Pair]) -> None:
    """Sessions, turns, records and figures."""
    for pair in pairs:
        here, there = pair.both
        for session in pair.sessions:
            assert here.sessions.get(session.id) == there.sessions.get(session.id)
            assert here.turns.of(session.id) == there.turns.of(session.id)
        for project in (None, "one", "two"):
            assert here.sessions.newest(project, 4) == there.sessions.newest(project, 4)
        for text in ("walrus", "é", "masked lynx", "nowhere"):
            assert here.turns.containing(text) == there.turns.containing(text)
        prints = [memory.fingerprint for memory in pair.memories]
        assert here.tombstones.standing(prints) == there.tombstones.standing(prints)
        assert here.audit.events(10) == there.audit.events(10)
        assert here.accesses.recent(20) == there.accesses.recent(20)
        for moment in (NOW, NOW + 10, NOW + 30):
            assert here.counts(moment) == there.counts(moment)
        for one, other in zip(asked_of(here), asked_of(there), strict=True):
            assert one == other


def asked_of(store: Store) -> Iterator[object]:
    """Ask what upkeep asks; the numbers of rows are each store's own."""
    upkeep = store.upkeep
    yield upkeep.totals(), upkeep.memories(), upkeep.accesses(), upkeep.promoted()
    yield upkeep.least_read(3, 1_000)
    yield upkeep.spare_turns(None, 1_000)
    for page in (upkeep.over(NOW + 10, 0, 99), upkeep.promoted_after(0, 99), upkeep.unmerged(0, 200)):
        yield [one for _, one in page]
