"""What a text becomes in an index."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.stores.analyser import fold_word, identifiers, parts, spelt, tokens, words


def test_words_are_folded_and_stemmed_in_order() -> None:
    """Case and accents go; inflections meet in one form."""
    assert tokens("Migrations RUNNING in the Café") == ["migrat", "run", "in", "the", "cafe"]
    assert tokens("migrate migrating migrated migration") == ["migrat"] * 4


def test_separators_split_and_marks_vanish() -> None:
    """Snake case and paths are several words already."""
    assert tokens("retry_policy src/app.py a-b 'x'") == ["retri", "polici", "src", "app", "py", "a", "b", "x"]
    assert tokens("… — !?") == []


@pytest.mark.parametrize(
    ("word", "pieces"),
    [
        ("getUserName", ["get", "User", "Name"]),
        ("PascalCase", ["Pascal", "Case"]),
        ("HTTPServer", ["HTTP", "Server"]),
        ("parseHTTP", ["parse", "HTTP"]),
        ("utf8", ["utf", "8"]),
        ("v2Api", ["v", "2", "Api"]),
        ("plain", []),
        ("Plain", []),
        ("PLAIN", []),
        ("x", []),
        ("X", []),
        ("404", []),
        ("Straße", []),
        ("日本語", []),
    ],
)
def test_joined_identifiers_fall_into_parts_and_plain_words_do_not(word: str, pieces: list[str]) -> None:
    """At capitals and digits."""
    assert parts(word) == pieces


def test_identifiers_gives_each_part_once() -> None:
    """What the index adds to the texts."""
    assert (
        identifiers("call getUser(), then getName and plain", "src/HTTPClient.py") == "get User Name HTTP Client"
    )
    assert identifiers("nothing joined here", "") == ""


def test_words_give_the_whole_identifier_then_its_parts() -> None:
    """Each with the form it has in the index."""
    assert words("the getUsers") == [("the", "the"), ("getUsers", "getus"), ("get", "get"), ("Users", "user")]


@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=80))
def test_every_word_has_the_index_form_it_is_given(text: str) -> None:
    """So that what is looked for is what was indexed."""
    for word, stem in words(text):
        assert tokens(word) == [stem]


@pytest.mark.parametrize("word", ["database", "parsing", "agreed", "release", "walrus", "Tintenfaß", "tetyelll"])
def test_an_index_form_is_spelt_as_a_word_that_has_it(word: str) -> None:
    """Which the form itself may not be: FTS5 makes "databa" of "databas"."""
    [form] = tokens(word)
    assert tokens(spelt(form) or "") == [form]
    assert spelt("databas") == "database"
    assert spelt("two words") is None


def test_a_folded_word_is_not_stemmed() -> None:
    """Case and accents go, the ending stays."""
    assert fold_word("Databáses") == "databases"
