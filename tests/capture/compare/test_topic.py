"""A topic is the content words of a text, one form per word."""

from hypothesis import given
from hypothesis import strategies as st

from holdfast.capture.compare.statement import Overlap, content, files_in, overlap, stem, tokens
from tests.table import table


@table(
    "forms",
    [
        "retry retries retried retrying",
        "cache caches cached caching",
        "enable enables enabled enabling",
        "drop drops dropped dropping",
        "class classes",
        "push pushes pushed pushing",
        "call calls called calling",
    ],
)
def test_inflections_share_one_stem(forms: str) -> None:
    assert len({stem(form) for form in forms.split()}) == 1


@table("words", ["redis red", "status state", "string strong", "bus busy", "café caf", "v2 v"])
def test_different_words_keep_different_stems(words: str) -> None:
    one, other = words.split()
    assert stem(one) != stem(other)


@given(st.text(max_size=20))
def test_stemming_never_raises_and_never_empties_a_word(word: str) -> None:
    assert bool(stem(word)) == bool(word)


def test_tokens_write_contractions_out_and_leave_commit_hashes_out() -> None:
    assert tokens("Don't use it, see a8fad5e: 60-second cap") == [
        "do", "not", "use", "it", ",", "see", ":", "60", "second", "cap",
    ]  # fmt: skip


def test_content_words_exclude_stop_words_and_numbers() -> None:
    assert content(tokens("We now use merge_contacts for 3 imports")) == {"merge_contacts", "import"}


def test_files_are_found_by_name_and_by_path() -> None:
    text = "Edit ./src/app.py, tsconfig.json and the Dockerfile; e.g. version 15.4 is no file"
    assert files_in(text) == {"src/app.py", "tsconfig.json", "Dockerfile"}


def test_overlap_is_measured_against_the_smaller_and_against_both() -> None:
    assert overlap(frozenset("ab"), frozenset("bcd")) == Overlap(frozenset("b"), 1 / 2, 1 / 4)
    assert overlap(frozenset(), frozenset("a")) == Overlap(frozenset(), 0.0, 0.0)
