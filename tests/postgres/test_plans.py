"""How a server finds what is asked for all the time: by an index, for the role that asks, with its policies."""

from collections.abc import Iterator, Mapping

import psycopg
import pytest

from holdfast.stores.postgres.connections import load
from holdfast.stores.postgres.store import PostgresStore
from tests.contract.builders import NOW, a_memory, a_session, keep
from tests.contract.conflicts import a_conflict
from tests.postgres.server import clear

SAID = {"project": "shop", "fingerprints": ["f"]}
LOOKED_UP: list[tuple[str, Mapping[str, object], str]] = [
    ("memories_ending", {"tails": ["01234567"]}, "tail"),
    ("sessions_ending", {"tail": "01234567"}, "tail"),
    ("conflicts_ending", {"tail": "01234567"}, "tail"),
    ("memories_saying", SAID, "fingerprint"),
    ("memories_ever_saying", SAID, "fingerprint"),
    ("memories_frequencies", {"stems": ["word"]}, "term"),
    ("memories_words", {"lead": "wor"}, "term"),
]


@pytest.fixture(scope="module")
def filled(postgres: str) -> Iterator[PostgresStore]:
    """A store with enough in it for the server to prefer one index to another."""
    clear(postgres)
    store = PostgresStore.open(postgres, tenant="acme", project="shop", now=NOW)
    memories = [a_memory() for _ in range(300)]
    keep(store, *memories)
    with store.writing():
        for one in memories[1:]:
            store.sessions.insert(a_session())
            store.conflicts.record([a_conflict(memories[0], one)])
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("ANALYZE")
    yield store
    store.close()


def test_what_is_looked_up_is_found_by_an_index(filled: PostgresStore) -> None:
    """What an index does not hold is filtered afterwards, row by row of the whole tenant."""
    filtered = []
    with filled.reading(), filled._database.raw() as connection:
        connection.execute("SET LOCAL enable_seqscan = off")
        for query, params, column in LOOKED_UP:
            asked = load()[query].replace("/*hold*/", "")
            rows = connection.execute(f"EXPLAIN {asked}", filled._database.with_place(params)).fetchall()
            plan = [line.strip() for (line,) in rows]
            by_index = any(line.startswith("Index Cond:") and column in line for line in plan)
            if not by_index or any(line.startswith("Filter:") and column in line for line in plan):
                filtered.append((query, plan))
    assert filtered == []
