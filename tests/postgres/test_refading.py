"""Rows follow new rules of fading, also one that a writer with older rules keeps late, under a lower number."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from holdfast.model.limits import DAY_MS
from holdfast.model.memory import Fading, Memory
from holdfast.stores.postgres.store import PostgresStore
from holdfast.upkeep.round import Protection, Round, Steps
from holdfast.upkeep.rules import refade
from tests.contract.builders import NOW, a_memory, keep

OLD, NEW = Fading({"fact": 10}), Fading({"fact": 20})


def opened(dsn: str, fading: Fading) -> PostgresStore:
    """Open the store as a process with these rules does."""
    return PostgresStore.open(dsn, tenant="acme", project="shop", now=NOW, fading=fading)


@pytest.fixture
def older(empty_postgres: str) -> Iterator[PostgresStore]:
    """The store of a process that knows the older rules."""
    with closing(opened(empty_postgres, OLD)) as store:
        yield store


@pytest.fixture
def newer(empty_postgres: str) -> Iterator[PostgresStore]:
    """That of one with the newer."""
    with closing(opened(empty_postgres, NEW)) as store:
        yield store


def a_fact(text: str) -> Memory:
    """Return a memory that fades."""
    return a_memory(tenant="acme", content=text, kind="fact", trust="agent")


def a_round(store: PostgresStore) -> Steps:
    """Begin a round."""
    return refade(Round(store=store, now=NOW, believed=NOW, protection=Protection(NOW, frozenset())))


def days(store: PostgresStore) -> dict[str, float]:
    """Return after how many days each memory fades."""
    return {one.content: ((one.fades or 0) - one.created_at) / DAY_MS for one in store.memories.walk(None, 9)}


def test_what_is_kept_late_under_a_lower_number_follows_in_the_second_round(
    older: PostgresStore, newer: PostgresStore
) -> None:
    with older.writing():
        keep(older, a_fact("numbered first, kept late"))
        keep(newer, a_fact("numbered second"))
        list(a_round(newer))
        assert not newer.upkeep.refaded(), "one round may have missed something"
    assert days(newer) == {"numbered first, kept late": 10, "numbered second": 20}
    list(a_round(newer))
    assert days(newer) == {"numbered first, kept late": 20, "numbered second": 20}
    assert newer.upkeep.refaded()


def test_a_round_that_was_interrupted_goes_on_and_counts_once(newer: PostgresStore, older: PostgresStore) -> None:
    keep(older, a_fact("one"))
    next(a_round(newer))
    assert days(newer) == {"one": 20}
    list(a_round(newer))
    assert not newer.upkeep.refaded()
    list(a_round(newer))
    assert newer.upkeep.refaded()
