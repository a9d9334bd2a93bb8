"""Words that a process holds: candidates are those of FTS5, in its order, whatever was written in between."""

import contextlib
import itertools
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from holdfast.capture.text.terms import terms_of
from holdfast.model.memory import Memory
from holdfast.model.search import Filters, Matches
from holdfast.model.value import replace
from holdfast.stores.sqlite import postings
from holdfast.stores.sqlite.matching import ASKED_OFTEN, Matcher, MemoryMatcher
from holdfast.stores.sqlite.store import SqliteStore
from tests.contract.builders import NOW, a_memory, keep

WORDS = (
    "retry limit queue worker deploy tuesday cache token index rollback café naïve HTTPServer retry_limit".split()
)
NUMBERS = itertools.count()
"""Nothing is said twice."""

QUESTIONS = (
    "retry limit",
    "deploy the queue worker",
    "cafe token HTTPServer",
    "rollback",
    "absent words only",
    "limit",
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    """A store that has been asked so often that it holds words."""
    assert np  # a process with NumPy, as a server is
    opened = SqliteStore.open(tmp_path / "memory.db", project="postings", now=NOW)
    matcher(opened)._questions = ASKED_OFTEN
    yield opened
    opened.close()


def matcher(store: SqliteStore) -> MemoryMatcher:
    """Return what finds a store's memories by words."""
    index = store.memories._index
    assert isinstance(index, MemoryMatcher)
    return index


def by_fts5(store: SqliteStore, question: str, filters: Filters, limit: int) -> Matches:
    """Ask the index itself."""
    return Matcher.match(matcher(store), terms_of(question), filters, limit)


def expect_the_same(store: SqliteStore, limit: int = 5, filters: Filters | None = None) -> None:
    """Ask both, everything."""
    wanted = filters or Filters(current_at=NOW)
    for question in QUESTIONS:
        held = store.memories.match(terms_of(question), wanted, limit)
        assert held == by_fts5(store, question, wanted, limit), question


def some(luck: random.Random, count: int) -> list[Memory]:
    """Return memories of a few words."""
    contents = (" ".join([*luck.choices(WORDS, k=luck.randint(1, 12)), f"n{next(NUMBERS)}"]) for _ in range(count))
    return [a_memory(content=content, tags=(luck.choice(WORDS),)) for content in contents]


@pytest.mark.parametrize("seed", range(5))
def test_candidates_are_those_of_the_index_whatever_was_written_in_between(store: SqliteStore, seed: int) -> None:
    luck = random.Random(seed)
    memories = some(luck, 40)
    with store.writing():
        store.memories.insert(memories)
    expect_the_same(store)
    for _ in range(6):
        fresh = some(luck, 3)
        changed, gone = luck.sample(memories, 2)
        with store.writing():
            store.memories.insert(fresh)
            store.memories.replace(replace(changed, content=some(luck, 1)[0].content))
            store.memories.replace(replace(fresh[0], valid_until=NOW - 1))
            store.memories.delete([gone.id])
        memories = [memory for memory in [*memories, *fresh] if memory is not gone and memory is not changed]
        expect_the_same(store)
    expect_the_same(store, limit=100)
    assert matcher(store)._postings is not None


def test_what_another_connection_writes_is_seen(store: SqliteStore, tmp_path: Path) -> None:
    with store.writing():
        store.memories.insert(some(random.Random(1), 20))
    expect_the_same(store)
    other = SqliteStore.open(tmp_path / "memory.db", project="postings", now=NOW)
    with other.writing():
        other.memories.insert([a_memory(content="rollback rollback rollback")])
    other.close()
    expect_the_same(store)


def test_what_is_not_committed_is_found_and_leaves_nothing_when_it_is_taken_back(store: SqliteStore) -> None:
    with store.writing():
        store.memories.insert(some(random.Random(2), 20))
    expect_the_same(store)

    def write_and_fail() -> None:
        with store.writing():
            store.memories.insert([a_memory(content="rollback rollback rollback")])
            expect_the_same(store)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_and_fail()
    expect_the_same(store)


def test_hidden_rows_are_passed_by_until_there_are_enough(store: SqliteStore) -> None:
    hidden = [a_memory(content=f"limit limit {number}", valid_until=NOW - 1) for number in range(80)]
    with store.writing():
        store.memories.insert([*hidden, *(a_memory(content=f"limit of {word} and more words") for word in WORDS)])
    expect_the_same(store)
    assert len(store.memories.match(terms_of("limit"), Filters(current_at=NOW), 5).candidates) == 5
    expect_the_same(store, filters=Filters(current_at=NOW, kinds=("decision",)))


def test_what_disagrees_with_the_index_is_not_believed(store: SqliteStore) -> None:
    """However that came to be: the index is asked, and the words are read anew."""
    with store.writing():
        store.memories.insert(some(random.Random(3), 20))
    expect_the_same(store)
    held = matcher(store)._postings
    assert held is not None
    held._count += 1
    held._words = {"limit": (np.array([1]), np.array([9.0]))}
    expect_the_same(store)
    expect_the_same(store)


def test_who_is_in_haste_does_not_begin_to_hold_words_but_uses_them(store: SqliteStore) -> None:
    with store.writing():
        store.memories.insert(some(random.Random(5), 20))
    with store.reading(60_000):
        expect_the_same(store)
        held = matcher(store)._postings
        assert held is not None
        assert not held.current()
    expect_the_same(store)
    with store.reading(60_000):
        assert held.current()
        expect_the_same(store)


def test_after_many_changes_words_are_read_anew(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postings, "MOST_CHANGED", 4)
    luck = random.Random(4)
    for _ in range(6):
        with store.writing():
            store.memories.insert(some(luck, 3))
        expect_the_same(store)
    held = matcher(store)._postings
    assert held is not None
    assert len(held._changed) <= 7


def test_a_transaction_that_is_taken_back_leaves_words_to_be_read(store: SqliteStore) -> None:
    """The table that they are read from is made in it, and goes with it."""
    keep(store, *some(random.Random(3), 40))
    with contextlib.suppress(ZeroDivisionError), store.reading():
        store.memories.match(terms_of("retry"), Filters(current_at=NOW), 5)
        assert 1 / 0
    expect_the_same(store)


def test_no_more_words_are_held_than_so_many(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postings, "MOST_WORDS", 3)
    keep(store, *some(random.Random(4), 40))
    expect_the_same(store)
    held = matcher(store)._postings
    assert held is not None
    assert len(held._words) == 3
