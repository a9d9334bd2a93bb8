"""Words that stand for each other."""

from collections.abc import Mapping

from holdfast.model.search import Filters, Matches, Query
from holdfast.recall.channels import Question
from holdfast.recall.ranking import Ranking
from holdfast.recall.search import search
from holdfast.recall.stand_ins import DEFAULTS, stand_ins, widely
from holdfast.stores.sqlite.store import SqliteStore
from holdfast.text.words import terms_of
from tests.contract.builders import a_memory, keep


def asked(store: SqliteStore, text: str, own: Mapping[str, tuple[str, ...]]) -> Matches:
    """Ask the memories of a store for a text."""
    return widely(lambda terms: store.memories.match(terms, Filters(), 10), terms_of(text), own)


def test_every_word_of_a_group_finds_the_others() -> None:
    groups = {"auth": ("keycloak", "sso")}
    assert [[one.word for one in others] for others in stand_ins(terms_of("keycloak walrus"), groups)] == [
        ["auth", "sso"], [],
    ]  # fmt: skip


def test_a_project_s_own_alias_counts_even_where_the_word_itself_is_found() -> None:
    store = SqliteStore.in_memory()
    plain, other = a_memory(content="auth is slow"), a_memory(content="keycloak is slow")
    keep(store, plain, other)
    found = asked(store, "auth", {"auth": ("keycloak",)})
    assert {one.id for one in found.candidates} == {plain.id, other.id}
    assert found.document_frequencies == (2,)
    assert [one.frequencies for one in found.candidates] == [(4.0,), (4.0,)]


def test_what_is_built_in_stands_in_only_for_a_word_that_is_nowhere() -> None:
    store = SqliteStore.in_memory()
    login = a_memory(content="the login page")
    keep(store, login)
    assert [one.id for one in asked(store, "auth", {}).candidates] == [login.id]
    auth = a_memory(content="the auth page")
    keep(store, auth)
    assert [one.id for one in asked(store, "auth", {}).candidates] == [auth.id]


def test_terms_without_stand_ins_are_asked_for_as_they_are() -> None:
    store = SqliteStore.in_memory()
    memory = a_memory(content="walrus and ocelot")
    keep(store, memory)
    terms = terms_of("walrus lynx")
    assert asked(store, "walrus lynx", {}) == store.memories.match(terms, Filters(), 10)


def test_aliases_apply_to_search() -> None:
    store = SqliteStore.in_memory()
    keep(store, a_memory(content="keycloak issues the tokens"))
    question = Question(Query(text="sso", mode="keyword"), aliases={"sso": ("keycloak",)})
    assert len(search(question, [store], Ranking())) == 1
    assert search(Question(Query(text="sso", mode="keyword")), [store], Ranking()) == []


def test_the_built_in_groups_are_single_words() -> None:
    assert all(len(word.split()) == 1 for group in DEFAULTS.items() for word in (group[0], *group[1]))
    assert {"auth", "db", "api", "config", "test"} <= set(DEFAULTS)


def test_two_words_that_stand_for_the_same_one_are_still_two_words_of_the_question() -> None:
    store = SqliteStore.in_memory()
    memory = a_memory(content="the database is slow")
    keep(store, memory)
    question = Question(Query(text="databsae databaes", mode="keyword"))
    assert [hit.id for hit in search(question, [store], Ranking())] == [memory.id]
