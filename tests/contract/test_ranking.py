"""The SQLite store counts and ranks words as plain BM25 does."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from holdfast.model.memory import Memory
from holdfast.model.search import Filters
from holdfast.ports import Store
from holdfast.stores.sqlite.store import SqliteStore
from holdfast.text.words import terms_of
from tests.contract.builders import NOW, a_memory, a_session, a_turn, keep, keep_turns
from tests.contract.oracle import Oracle
from tests.contract.rows import FILES, assert_alike, random_memory, sentence, some

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=40)
LABEL = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=40)


def test_memories_are_counted_and_ranked_as_by_plain_bm25(store: Store) -> None:
    luck = random.Random(11)
    memories: list[Memory] = []
    for number in range(150):
        memories.append(random_memory(luck, number, memories))
    keep(store, *memories)
    oracle = Oracle.of_memories(memories)
    answers = [terms_of(sentence(luck, 6)) for _ in range(60)]
    for terms in answers:
        assert_alike(store.memories.match(terms, Filters(), 1_000), oracle.match(terms))
    assert sum(bool(oracle.match(terms).candidates) for terms in answers) > 40


def test_turns_are_counted_and_ranked_as_by_plain_bm25(store: Store) -> None:
    luck = random.Random(12)
    session = a_session()
    turns = [
        a_turn(
            session,
            sentence(luck, 20),
            at=NOW + luck.randint(0, 3) * 86_400_000,
            files=some(luck, FILES),
            role=luck.choice(("user", "assistant", "Ann", "Tool")),
        )
        for _ in range(100)
    ]
    keep_turns(store, session, *turns)
    oracle = Oracle.of_turns(turns)
    for _ in range(60):
        terms = terms_of(sentence(luck, 6))
        assert_alike(store.turns.match(terms, Filters(), 1_000), oracle.match(terms))


def test_past_the_budget_the_same_terms_are_left_out() -> None:
    luck = random.Random(13)
    memories = [a_memory(content=f"{sentence(luck, 20)} n{number}", title="t") for number in range(60)]
    store = SqliteStore.in_memory(postings_budget=40)
    keep(store, *memories)
    oracle = Oracle.of_memories(memories, 40)
    left_out = 0
    for _ in range(40):
        terms = terms_of(sentence(luck, 8))
        expected = oracle.match(terms)
        matches = store.memories.match(terms, Filters(), 1_000)
        assert replace(matches, candidates=()) == replace(expected, candidates=())
        assert set(matches.candidates) == set(expected.candidates)
        left_out += not all(expected.searched)
    store.close()
    assert left_out > 10


@settings(max_examples=60)
@given(documents=st.lists(st.tuples(TEXT, LABEL, LABEL), min_size=1, max_size=6), other=TEXT)
def test_any_text_is_indexed_as_the_plain_index_would(documents: list[tuple[str, str, str]], other: str) -> None:
    """Labels hold no control characters: capture puts a blank in their place."""
    rows = [
        a_memory(content=f"{content} {place}", title=content, tags=(tag,), files=(file,))
        for place, (content, tag, file) in enumerate(documents)
    ]
    store = SqliteStore.in_memory()
    keep(store, *rows)
    oracle = Oracle.of_memories(rows)
    for text in {other, *(text for document in documents for text in document)}:
        terms = terms_of(text)
        assert_alike(store.memories.match(terms, Filters(), 100), oracle.match(terms))
        containing = [row for row in rows if text.casefold() in f"{row.title}\0{row.content}".casefold()]
        assert store.memories.newest(Filters(contains=text), 100) == containing[::-1]
    store.close()
