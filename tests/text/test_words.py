"""What to look for."""

from hypothesis import given
from hypothesis import strategies as st

from holdfast.model.search import Term
from holdfast.text.words import MOST_TERMS, numbers, quantities, terms_of, topic


def test_a_query_becomes_its_telling_words_in_order() -> None:
    """Those that say nothing go."""
    assert terms_of("How do we run the migrations?") == (Term("run", "run"), Term("migrations", "migrat"))


def test_a_query_of_nothing_but_stop_words_keeps_them() -> None:
    """They may be a title."""
    assert terms_of("what is it") == (Term("what", "what"), Term("is", "is"), Term("it", "it"))


def test_words_of_one_stem_are_one_term() -> None:
    """The first form stands for it."""
    assert terms_of("migrate migrations MIGRATING") == (Term("migrate", "migrat"),)


def test_a_joined_identifier_brings_its_parts() -> None:
    """Whole first."""
    assert [term.word for term in terms_of("parseUserName")] == ["parseUserName", "parse", "User", "Name"]


def test_a_query_that_holds_no_word_has_no_terms() -> None:
    """Empty, blank, marks only."""
    assert [terms_of(text) for text in ("", "   ", "?! … \"'", "\x00")] == [()] * 4


def test_a_long_query_is_bounded() -> None:
    """In words and in characters."""
    assert len(terms_of(" ".join(f"word{chr(97 + n % 26)}{n}" for n in range(1_000)))) == MOST_TERMS
    assert terms_of("x " * 5_000 + "walrus") == (Term("x", "x"),)


@given(text=st.text(st.characters(), max_size=200))
def test_any_text_makes_terms_that_need_no_escaping(text: str) -> None:
    """Lone surrogates, quotes and operators included; each stem once."""
    terms = terms_of(text)
    assert len({term.stem for term in terms}) == len(terms) <= MOST_TERMS
    assert not any(set(term.word) & set('"*^:(){}\x00 ') for term in terms)


def test_texts_on_one_subject_share_a_topic_whatever_their_form() -> None:
    """Without numbers, and without the words of any rule."""
    assert topic("We use bun, never npm") == {"bun", "npm"}
    assert topic("Retries: max 5") & topic("please always retry at most 3 times") == {"retri"}
    assert topic("never, always, from now on: 12") == frozenset()


def test_numbers_are_read_as_digits_by_what_they_count() -> None:
    """Spelt out or not."""
    assert quantities("five attempts, 30s, then 9.5 and 80 %") == {
        "attempt": {"5"},
        "s": {"30"},
        "and": {"9.5"},
        "%": {"80"},
    }
    assert numbers("Five attempts in 30 s") == {"5", "30"}
    assert numbers("dropped by a8fad5e, commit 7bd0d48 on port 5432") == {"5432"}
