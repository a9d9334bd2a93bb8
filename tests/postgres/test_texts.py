"""Texts that the server cannot hold may be asked for: nothing is like them."""

from collections.abc import Iterator

import pytest

from holdfast.model.search import Filters
from holdfast.stores.postgres.store import PostgresStore
from tests.contract.builders import NOW, a_memory, keep


@pytest.fixture
def store(empty_postgres: str) -> Iterator[PostgresStore]:
    store = PostgresStore.open(empty_postgres, tenant="acme", project="shop", now=NOW)
    yield store
    store.close()


def test_half_a_surrogate_pair_is_in_no_text(store: PostgresStore) -> None:
    memory = a_memory(content="a")
    keep(store, memory)
    for text in ("\ud800", "a\udfff"):
        asked = [Filters(contains=text), Filters(file=text), Filters(tags=(text,)), Filters(kinds=(text,))]
        assert [store.memories.newest(filters, 9) for filters in asked] == [[]] * len(asked), ascii(text)
        assert store.sessions.with_ref(memory.project, text) is None, ascii(text)
        assert store.turns.containing(text) == [], ascii(text)
        assert store.memories.words(text) == {}, ascii(text)
