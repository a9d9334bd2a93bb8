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


@pytest.mark.parametrize("text", ["\ud800", "a\udfff"], ids=ascii)
def test_half_a_surrogate_pair_is_in_no_text(store: PostgresStore, text: str) -> None:
    memory = a_memory(content="a")
    keep(store, memory)
    asked = [Filters(contains=text), Filters(file=text), Filters(tags=(text,)), Filters(kinds=(text,))]
    assert [store.memories.newest(filters, 9) for filters in asked] == [[]] * len(asked)
    assert store.sessions.with_ref(memory.project, text) is None
    assert store.turns.containing(text) == []
    assert store.memories.words(text) == {}
