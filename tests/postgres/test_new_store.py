"""In a store that the server has not analysed yet, words are looked up; nobody reads all of them."""

from collections.abc import Callable, Iterator

import psycopg
import pytest

from holdfast.model.search import Filters
from holdfast.stores.postgres.store import PostgresStore
from holdfast.text.words import terms_of
from tests.contract.builders import NOW, a_memory, a_session, a_turn

ROWS = 120
QUESTION = "where does the heron queue retry"
TEXTS = [f"heron queue retry number{number} word{number} other{number}" for number in range(ROWS)]


@pytest.fixture
def store(empty_postgres: str) -> Iterator[PostgresStore]:
    """A store that nobody has analysed, nor will while it is looked at: truncated tables have no figures."""
    tables = ("holdfast.memory_term", "holdfast.turn_term")
    with psycopg.connect(empty_postgres, autocommit=True) as connection:
        connection.execute(f"TRUNCATE {', '.join(tables)}")
        for table in tables:
            connection.execute(f"ALTER TABLE {table} SET (autovacuum_enabled = off)")
    store = PostgresStore.open(empty_postgres, tenant="acme", project="new", now=NOW)
    yield store
    store.close()
    with psycopg.connect(empty_postgres, autocommit=True) as connection:
        for table in tables:
            connection.execute(f"ALTER TABLE {table} RESET (autovacuum_enabled)")


def entries_read(store: PostgresStore, table: str, act: Callable[[], object]) -> int:
    """Return how many entries of a table's indexes something reads; an open transaction knows it at once."""
    counted = "sum(pg_stat_get_xact_tuples_returned(i.indexrelid))"
    query = f"SELECT {counted} FROM pg_index i WHERE i.indrelid = %s::regclass"
    database = store._database
    with database.writing(), database.raw() as connection:
        act()
        return int(connection.execute(query, [f"holdfast.{table}"]).fetchone()[0])  # type: ignore[index]  # one row


def test_the_words_of_a_question_are_looked_up_among_memories(store: PostgresStore) -> None:
    with store.writing():
        store.memories.insert([a_memory(content=text, title=text) for text in TEXTS])
    read = entries_read(store, "memory_term", lambda: store.memories.match(terms_of(QUESTION), Filters(), 50))
    assert 0 < read <= ROWS * 10


def test_the_words_of_a_question_are_looked_up_among_turns(store: PostgresStore) -> None:
    session = a_session()
    with store.writing():
        store.sessions.insert(session)
        store.turns.insert([a_turn(session, text) for text in TEXTS])
    read = entries_read(store, "turn_term", lambda: store.turns.match(terms_of(QUESTION), Filters(), 50))
    assert 0 < read <= ROWS * 10
