"""The hashing embedder: the same vector everywhere."""

from math import sqrt

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from holdfast.embedding.common_words import idf
from holdfast.embedding.hashing import DIMENSIONS, Hashing, bucket, fnv1a, vector, words


def test_fnv1a_gives_the_published_values() -> None:
    assert [fnv1a(text) for text in (b"", b"a", b"foobar")] == [
        0xCBF29CE484222325,
        0xAF63DC4C8601EC8C,
        0x85944171F73967E8,
    ]


def test_names_fall_into_their_parts() -> None:
    assert words("getUserName HTTPServer snake_case a.b") == [
        "get", "user", "name", "http", "server", "snake", "case", "a", "b",
    ]  # fmt: skip


def test_a_known_text_has_its_known_vector() -> None:
    """Pinned: a change of table, hash or formula needs a new model name."""
    found = {place: round(value, 4) for place, value in enumerate(vector("retry the upload twice")) if value}
    assert found == PINNED


def test_stop_words_do_not_count() -> None:
    assert vector("the cache of the server") == vector("cache server")


def test_nothing_but_stop_words_is_the_zero_vector() -> None:
    assert vector("and of the") == [0.0] * DIMENSIONS


def test_a_common_word_weighs_less_than_an_unknown_one() -> None:
    assert idf("data") < idf("zyzzyva")


@given(st.text())
def test_every_vector_has_length_one_or_none(text: str) -> None:
    length = sqrt(sum(value * value for value in vector(text)))
    assert abs(length - 1) < 1e-9 or length == 0


@given(st.text())
def test_every_word_has_a_place(word: str) -> None:
    place, sign = bucket(word)
    assert 0 <= place < DIMENSIONS
    assert sign in (-1, 1)


def test_the_embedder_returns_rows() -> None:
    rows = Hashing().embed(["cache server", "the"])
    np.testing.assert_array_equal(rows, np.array([vector("cache server"), vector("the")], np.float32))
    np.testing.assert_array_equal(Hashing().embed_query("cache server"), rows[0])


PINNED = {25: -0.5774, 28: -0.5774, 179: 0.5774}
