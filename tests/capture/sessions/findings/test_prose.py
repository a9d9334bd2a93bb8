"""Messages cut into sentences that point into them."""

import time

from hypothesis import given
from hypothesis import strategies as st

from holdfast.text.sentences import HEAD_READ, sentences
from tests.table import table


def texts(message: str) -> list[str]:
    return [one.text for one in sentences(message)]


def test_a_message_is_cut_into_sentences_that_point_into_it() -> None:
    message = "Use UTC.  Never store\nlocal times! Is that fine?"
    assert texts(message) == ["Use UTC.", "Never store local times!", "Is that fine?"]
    assert [message[one.start : one.end] for one in sentences(message)][1] == "Never store\nlocal times!"


def test_code_quotes_tables_and_terminal_lines_are_no_sentences() -> None:
    message = "Before.\n```python\nassert never_here\n```\n> quoted: never\n| a | b |\n$ rm -rf build\nAfter."
    assert texts(message) == ["Before.", "After."]


def test_an_unclosed_code_block_reaches_to_the_end() -> None:
    assert texts("Look:\n```\nmust not count") == ["Look:"]


def test_a_fence_is_closed_only_by_as_long_a_one() -> None:
    message = "Look:\n````md\n```python\nnever_here()\n```\nNever here either.\n````\nAfter."
    assert texts(message) == ["Look:", "After."]


def test_a_quotation_is_one_piece() -> None:
    message = 'They sent us: "Never use else. Always prefer composition. Functions are short." what do you think'
    assert texts(message) == [message]


def test_a_heading_ends_what_a_colon_introduced() -> None:
    message = "We agreed on these rules:\n- UTC everywhere\n\n## Never do this\n- local times"
    assert [(one.text, one.head) for one in sentences(message)][1:] == [
        ("UTC everywhere", "We agreed on these rules:"),
        ("local times", "Never do this"),
    ]


def test_abbreviations_versions_and_names_do_not_end_a_sentence() -> None:
    message = "Use e.g. Redis 7.2 via app.cache, i.e. Not the default. Done."
    assert texts(message) == ["Use e.g. Redis 7.2 via app.cache, i.e. Not the default.", "Done."]


def test_who_writes_in_lower_case_ends_sentences_all_the_same() -> None:
    assert texts("no. 2 retries max. see no. 5 of the list") == ["no.", "2 retries max.", "see no. 5 of the list"]


@table("text", ["# a" + " " * 15_900 + "b\n", "no. A " * 2_600, "see no. A " * 2_600, "a.  " * 4_000])
def test_no_text_makes_it_slow(text: str) -> None:
    started = time.process_time()
    sentences(text * 4)
    assert time.process_time() - started < 8


def test_list_items_stand_under_the_line_that_introduces_them() -> None:
    message = "We agreed on:\n1. UTC everywhere\n2. No local times\n\nNext topic."
    found = sentences(message)
    assert [(one.text, one.head) for one in found] == [
        ("We agreed on:", ""),
        ("UTC everywhere", "We agreed on:"),
        ("No local times", "We agreed on:"),
        ("Next topic.", ""),
    ]


def test_paragraphs_stand_under_their_heading() -> None:
    found = sentences("## Decisions\n\nUTC everywhere.\n\n**Notes**\n\nNothing else.")
    assert [(one.text, one.head) for one in found] == [
        ("UTC everywhere.", "Decisions"),
        ("Nothing else.", "Notes"),
    ]


def test_of_a_very_long_message_the_start_and_the_end_are_read() -> None:
    filler = "Word word word word.\n" * 3_000
    found = texts(f"The goal.\n{filler}The end.")
    assert found[0] == "The goal."
    assert found[-1] == "The end."
    assert sum(map(len, found)) < 2 * HEAD_READ


@given(st.text(max_size=400))
def test_every_sentence_is_where_it_says_it_is(message: str) -> None:
    for one in sentences(message):
        assert 0 <= one.start < one.end <= len(message)
        assert one.text.split() == message[one.start : one.end].split()
