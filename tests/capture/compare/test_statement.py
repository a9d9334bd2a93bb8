"""A sentence is read for what it says, on which condition, by what means, and in earnest or not."""

from hypothesis import given
from hypothesis import strategies as st

from holdfast.capture.compare.statement import ParsedSentence, state


def read(text: str) -> ParsedSentence:
    (sentence,) = state(text, "fact").sentences
    return sentence


def test_core_condition_and_means_are_told_apart_and_the_explanation_left_out() -> None:
    sentence = read("Send mails through Postmark in production, because Mailgun lost some")
    assert sentence.core == {"send", "mail"}
    assert sentence.manner == {"postmark"}
    assert sentence.condition == {"production"}


def test_a_condition_at_the_start_ends_at_the_comma() -> None:
    sentence = read("In production, enable gzip")
    assert sentence.core == {"enabl", "gzip"}
    assert sentence.condition == {"production"}


def test_a_negator_turns_the_next_verb_round_past_adverbs_and_auxiliaries() -> None:
    assert read("The cache should never silently be enabled").stance["enabl"] == -1
    assert read("The cache should be enabled").stance["±enable"] == 1
    assert read("The cache must not be disabled").stance["±enable"] == 1


def test_number_words_are_numbers() -> None:
    assert read("Two of 3 nodes and twelve disks").numbers == ("2", "3", "12")


def test_questions_and_thinking_aloud_are_not_in_earnest() -> None:
    assert read("Use gzip.").earnest
    assert not read("Use gzip?").earnest
    assert not read("Perhaps use gzip.").earnest


def test_files_mentioned_count_as_the_statements_own() -> None:
    assert state("See src/a.py", "fact", ["b.py"]).files == {"src/a.py", "b.py"}


@given(st.text(max_size=200))
def test_reading_never_raises(text: str) -> None:
    assert state(text, "fact").text == text
