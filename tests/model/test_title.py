"""Titles that texts get by themselves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.model.memory import shorten, title_of


def test_the_title_is_the_first_sentence_without_markup(subtests: pytest.Subtests) -> None:
    """Marks of Markdown at the beginning go, dots inside of words stay."""
    for content, title in [
        ("We use Postgres. It scales.", "We use Postgres"),
        ("Why not Redis? Because.", "Why not Redis"),
        ("Stop! Now.", "Stop"),
        ("Use v1.2 of example.com/api today", "Use v1.2 of example.com/api today"),
        ("no end", "no end"),
        ("ends here.", "ends here"),
        ("first line\nsecond line", "first line"),
        ("\n\n  indented  \nmore", "indented"),
        ("# Heading\n\ntext", "Heading"),
        ("- item one\n- item two", "item one"),
        ("> quoted", "quoted"),
        ("1. step one", "step one"),
        ("## 3) both", "both"),
        ("...and so on", "...and so on"),
        ("…", "…"),
        ("使用します。次に", "使用します"),
        ("", ""),
    ]:
        with subtests.test(content=content, title=title):
            assert title_of(content) == title


def test_a_long_sentence_is_cut_at_a_word_with_a_mark() -> None:
    """At most 80 characters."""
    assert title_of("word " * 40) == "word " * 14 + "word…"
    assert title_of("x" * 200) == "x" * 79 + "…"


@given(text=st.text(max_size=300), most=st.integers(2, 90))
def test_a_shortened_text_fits_on_one_line(text: str, most: int) -> None:
    """And what fitted already keeps its words."""
    short = shorten(text, most)
    assert len(short) <= most
    assert len(short.splitlines()) <= 1
    if len(" ".join(text.split())) <= most:
        assert short.split() == text.split()


@given(content=st.text(min_size=1, max_size=300).filter(str.strip))
def test_every_text_has_a_title(content: str) -> None:
    """Never empty, never too long."""
    assert 1 <= len(title_of(content)) <= 80
