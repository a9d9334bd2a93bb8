"""When two texts say the same thing."""

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from holdfast.model.ids import fingerprint

WORDS = st.lists(st.text("abcdefghij0123456789.,-", min_size=1, max_size=6), min_size=1, max_size=8)
BLANKS = st.sampled_from([" ", "  ", "\n", "\t", " \r\n ", "\u00a0", "\u3000"])


@given(
    words=WORDS,
    blanks=st.lists(BLANKS, min_size=10, max_size=10),
    shout=st.lists(st.booleans(), min_size=8, max_size=8),
)
def test_case_and_white_space_make_no_difference(words: list[str], blanks: list[str], shout: list[bool]) -> None:
    """However the same words are laid out."""
    cased = [word.upper() if loud else word for word, loud in zip(words, shout, strict=False)]
    laid_out = blanks[8] + "".join(word + blank for word, blank in zip(cased, blanks, strict=False)) + blanks[9]
    assert fingerprint(laid_out) == fingerprint(" ".join(words))


@given(one=WORDS, other=WORDS)
def test_words_that_differ_or_change_places_change_the_fingerprint(one: list[str], other: list[str]) -> None:
    """Words, their order, their marks."""
    assert (fingerprint(" ".join(one)) == fingerprint(" ".join(other))) == (one == other)


def test_the_fingerprint_is_the_sha_256_the_design_names() -> None:
    """Another program can compute it."""
    assert fingerprint("  Use\n TABS ") == hashlib.sha256(b"use tabs").hexdigest()
