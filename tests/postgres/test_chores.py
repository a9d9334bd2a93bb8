"""What is left for a chore is out of sight at once, and gone when the chore is done; nobody waits for it."""

import random
from collections.abc import Iterator

import psycopg
import pytest

from holdfast.model.limits import ACCESS_ROWS
from holdfast.model.records import Access
from holdfast.stores.postgres.records import ACCESS_SLACK
from holdfast.stores.postgres.store import PostgresStore
from tests.contract.builders import NOW, a_memory, a_session, a_turn, keep, keep_turns


@pytest.fixture
def store(empty_postgres: str) -> Iterator[PostgresStore]:
    store = PostgresStore.open(empty_postgres, tenant="acme", project="shop", now=NOW, busy_ms=500)
    yield store
    store.close()


def look(memory: str, query: str | None = None) -> Access:
    return Access(memory=memory, action="search", at=NOW, query=query)


def asked(dsn: str, statement: str) -> list[tuple[object, ...]]:
    """Return what the server itself holds, whoever it is of."""
    with psycopg.connect(dsn) as connection:
        return connection.execute(statement.encode()).fetchall()


QUERIES = "SELECT query FROM holdfast.access WHERE query IS NOT NULL ORDER BY query"


def test_queries_are_void_at_once_though_another_holds_their_rows(
    store: PostgresStore, empty_postgres: str
) -> None:
    with store.writing():
        store.accesses.record([look("a", "walrus"), look("b", "lynx")])
    with psycopg.connect(empty_postgres) as other:
        other.execute("SELECT FROM holdfast.access WHERE memory = 'a' FOR UPDATE")
        with store.writing():
            store.accesses.forget(["c"])
        assert [one.query for one in store.accesses.recent(9)] == [None, None]
        assert asked(empty_postgres, QUERIES) == [("walrus",)]
        assert store.upkeep.untidy()
    store.tend()
    assert asked(empty_postgres, QUERIES) == []
    assert not store.upkeep.untidy()


def test_a_query_is_void_whose_writer_did_not_know_what_was_forgotten(
    store: PostgresStore, empty_postgres: str
) -> None:
    other = PostgresStore.open(empty_postgres, tenant="acme", project="shop", now=NOW)
    with other.writing():
        other.accesses.record([look("a", "walrus")])
        with store.writing():
            store.accesses.forget(["c"])
    assert [one.query for one in store.accesses.recent(9)] == [None]
    store.tend()
    assert asked(empty_postgres, QUERIES) == []
    other.close()


def test_the_access_log_is_trimmed_in_batches_and_tells_of_no_more_than_it_keeps(
    store: PostgresStore, empty_postgres: str
) -> None:
    def rows() -> list[tuple[object, ...]]:
        return asked(empty_postgres, "SELECT count(*) FROM holdfast.access")

    with store.writing():
        store.accesses.record([look("m")] * ACCESS_ROWS)
        store.accesses.record([look("m")] * ACCESS_SLACK)
    assert rows() == [(ACCESS_ROWS + ACCESS_SLACK,)]
    assert len(store.accesses.recent(2 * ACCESS_ROWS)) == ACCESS_ROWS
    assert (store.upkeep.accesses(), store.counts(NOW).accesses) == (ACCESS_ROWS, ACCESS_ROWS)
    with store.writing():
        store.accesses.record([look("m")])
    assert rows() == [(ACCESS_ROWS,)]


def test_the_account_of_what_is_used_is_near_what_the_tables_take(
    store: PostgresStore, empty_postgres: str
) -> None:
    luck = random.Random(3)
    words = [f"walrus{number}" for number in range(2_000)]
    session = a_session()
    keep(store, *(a_memory(content=" ".join(luck.choices(words, k=25))) for _ in range(600)))
    turns = [a_turn(session, " ".join(luck.choices(words, k=25))) for _ in range(600)]
    keep_turns(store, session, *turns)
    [(taken,)] = asked(
        empty_postgres,
        "SELECT sum(pg_total_relation_size(format('holdfast.%I', name)::regclass))::bigint "
        "FROM unnest(ARRAY['memory', 'memory_term', 'topic', 'turn', 'turn_term']) AS name",
    )
    assert isinstance(taken, int)
    assert 0.75 < store.upkeep.used() / taken < 1.3
