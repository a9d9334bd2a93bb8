"""Any history, with crashes and reopenings in it, leaves every store with what one holds that had none.

Hypothesis makes up the histories, and shortens one that fails until nothing can be left out.
"""

import itertools
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import psycopg
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test
from msgspec.structs import replace

from holdfast.errors import StoreError
from holdfast.model.memory import Memory
from holdfast.model.search import Filters
from holdfast.model.session import Session, Turn
from holdfast.ports import Store
from holdfast.stores.postgres.store import PostgresStore
from holdfast.stores.sqlite.store import SqliteStore
from holdfast.text.words import terms_of
from tests.contract.builders import NOW, a_session, a_turn
from tests.contract.rows import WORDS, random_memory, sentence

MOST = 1_000
Act = Callable[[Store], object]


class Interrupted(Exception):
    """Stands for the end of a process in the middle of a transaction."""


class Mortal(Protocol):
    """A store that can be opened, and lost with a transaction under way."""

    def open(self) -> Store:
        """Open the store as it is found."""

    def crash(self, store: Store, act: Act) -> None:
        """Lose the process, or its connection, after something was done that is not committed."""


class SqliteMortal:
    """A file: what a killed process leaves is the database and its log as they stand."""

    def __init__(self, folder: Path) -> None:
        self._lives = itertools.count()
        self._folder = folder
        self._path = folder / "0" / "memory.db"

    def open(self) -> Store:
        return SqliteStore.open(self._path, project="h", now=NOW)

    def crash(self, store: Store, act: Act) -> None:
        left = self._folder / f"left-{next(self._lives)}"
        try:
            with store.writing():
                act(store)
                left.mkdir()
                for tail in ("", "-wal"):
                    shutil.copyfile(f"{self._path}{tail}", left / f"memory.db{tail}")
                raise Interrupted
        except Interrupted:
            store.close()
        self._path = left / "memory.db"


class PostgresMortal:
    """A server: the connection is lost in the middle."""

    _places = itertools.count()

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._place = f"history-{next(self._places)}"

    def open(self) -> Store:
        return PostgresStore.open(self._dsn, tenant="local", project=self._place, now=NOW)

    def crash(self, store: Store, act: Act) -> None:
        assert isinstance(store, PostgresStore)
        with pytest.raises(StoreError):
            self._lose_connection(store, act)
        store.close()

    def _lose_connection(self, store: PostgresStore, act: Act) -> None:
        with store.writing():
            act(store)
            with store._database.raw() as connection:
                pid = connection.info.backend_pid
            with psycopg.connect(self._dsn) as admin:
                admin.execute("SELECT pg_terminate_backend(%s, 60000)", (pid,))


class History(RuleBasedStateMachine):
    """The same acts, done to a store that crashes and to one in memory that does not."""

    make: Callable[[], Mortal]

    def __init__(self) -> None:
        super().__init__()
        self._mortal = type(self).make()
        self._store = self._mortal.open()
        self._steady = SqliteStore.in_memory()
        self._memories: list[Memory] = []
        self._sessions: list[Session] = []
        self._turns: list[Turn] = []
        self._number = itertools.count()

    def _both(self, act: Act) -> None:
        for store in self._two:
            with store.writing():
                act(store)

    @rule(seed=st.integers(0, 1 << 30), count=st.integers(1, 3))
    def remember(self, seed: int, count: int) -> None:
        luck = random.Random(seed)
        fresh = [random_memory(luck, next(self._number), self._memories) for _ in range(count)]
        self._both(lambda store: store.memories.insert(fresh))
        self._memories += fresh

    @precondition(lambda self: self._memories)
    @rule(place=st.integers(0, 1 << 30), word=st.sampled_from(WORDS))
    def change(self, place: int, word: str) -> None:
        place %= len(self._memories)
        changed = replace(
            self._memories[place], content=f"{self._memories[place].content} {word}", status="pinned"
        )
        self._both(lambda store: store.memories.replace(changed))
        self._memories[place] = changed

    @precondition(lambda self: self._memories)
    @rule(place=st.integers(0, 1 << 30))
    def remove(self, place: int) -> None:
        gone = self._memories.pop(place % len(self._memories))
        self._both(lambda store: store.memories.delete([gone.id]))
        self._both(lambda store: store.tombstones.add([gone.fingerprint]))

    @rule(seed=st.integers(0, 1 << 30))
    def talk(self, seed: int) -> None:
        luck = random.Random(seed)
        if not self._sessions or luck.random() < 0.3:
            self._sessions.append(a_session(project="one"))
            self._both(lambda store: store.sessions.insert(self._sessions[-1]))
        turn = a_turn(luck.choice(self._sessions), sentence(luck, 8))
        self._both(lambda store: store.turns.insert([turn]))
        self._turns.append(turn)

    @precondition(lambda self: self._turns)
    @rule(place=st.integers(0, 1 << 30))
    def mask(self, place: int) -> None:
        place %= len(self._turns)
        masked = replace(self._turns[place], text="[forgotten]")
        self._both(lambda store: store.turns.replace(masked))
        self._turns[place] = masked

    @rule(seed=st.integers(0, 1 << 30))
    def think_better_of_it(self, seed: int) -> None:
        """Everything of a transaction that fails is taken back."""

        def interrupted(store: Store) -> None:
            self._meddle(store, seed)
            raise Interrupted

        for store in self._two:
            with pytest.raises(Interrupted), store.writing():
                interrupted(store)

    @rule(seed=st.integers(0, 1 << 30))
    def crash(self, seed: int) -> None:
        """Everything that was committed is there, and nothing of what was not."""
        self._mortal.crash(self._store, lambda store: self._meddle(store, seed))
        self._store = self._mortal.open()

    @rule()
    def reopen(self) -> None:
        self._store.close()
        self._store = self._mortal.open()

    @invariant()
    def they_hold_the_same(self) -> None:
        here, there = self._store, self._steady
        assert here.memories.newest(Filters(), MOST) == there.memories.newest(Filters(), MOST)
        assert here.sessions.newest(None, MOST) == there.sessions.newest(None, MOST)
        for session in self._sessions:
            assert here.turns.of(session.id) == there.turns.of(session.id)
        marks = [memory.fingerprint for memory in self._memories]
        assert here.tombstones.standing(marks) == there.tombstones.standing(marks)
        assert here.counts(NOW) == there.counts(NOW)

    @rule(word=st.sampled_from(WORDS))
    def search(self, word: str) -> None:
        """The index has what the rows have."""
        for side in ("memories", "turns"):
            here, there = (getattr(store, side).match(terms_of(word), Filters(), MOST) for store in self._two)
            assert {one.id for one in here.candidates} == {one.id for one in there.candidates}

    @property
    def _two(self) -> tuple[Store, Store]:
        return self._store, self._steady

    def _meddle(self, store: Store, seed: int) -> None:
        """Do something of everything that nobody will commit."""
        luck = random.Random(seed)
        store.memories.insert([random_memory(luck, -1, self._memories)])
        store.tombstones.add(["f" * 64])
        if self._memories:
            store.memories.delete([luck.choice(self._memories).id])
        if self._sessions:
            store.turns.insert([a_turn(self._sessions[0], "never said")])

    def teardown(self) -> None:
        for store in self._two:
            store.close()


def try_histories(make: Callable[[], Mortal], count: int, steps: int) -> None:
    """Try so many histories of so many steps."""
    machine = type("AnyHistory", (History,), {"make": staticmethod(make)})
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large]
    run_state_machine_as_test(
        machine, settings=settings(max_examples=count, stateful_step_count=steps, suppress_health_check=slow)
    )


def in_folders(folder: Path) -> Callable[[], Mortal]:
    """Return what gives each history a folder of its own."""
    numbers = itertools.count()
    return lambda: SqliteMortal(folder / str(next(numbers)))


def test_any_history_with_crashes_leaves_a_file_with_what_was_committed(tmp_path: Path) -> None:
    try_histories(in_folders(tmp_path), count=12, steps=15)


def test_any_history_with_crashes_leaves_a_server_with_what_was_committed(empty_postgres: str) -> None:
    try_histories(lambda: PostgresMortal(empty_postgres), count=5, steps=12)


@pytest.mark.soak
def test_many_histories_with_crashes_leave_a_file_with_what_was_committed(tmp_path: Path) -> None:
    try_histories(in_folders(tmp_path), count=400, steps=40)


@pytest.mark.soak
def test_many_histories_with_crashes_leave_a_server_with_what_was_committed(empty_postgres: str) -> None:
    try_histories(lambda: PostgresMortal(empty_postgres), count=100, steps=30)
