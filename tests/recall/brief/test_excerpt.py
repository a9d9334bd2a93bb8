"""What a text keeps when there is less room than it takes."""

from hypothesis import given
from hypothesis import strategies as st

from holdfast.recall.brief.budget import estimate
from holdfast.recall.brief.fill import cut_text, excerpt

TALK = "I was just looking at the code and wondering whether we could maybe do this some other way. " * 6
RULE = "So the retry budget is exactly 7 attempts."


def test_what_fits_stays_as_it_is() -> None:
    assert excerpt("Short.\nAnd whole.", 50) == "Short.\nAnd whole."


def test_the_sentence_that_settles_is_kept_wherever_it_stands() -> None:
    for text in (f"{TALK}{RULE} {TALK}", f"{RULE} {TALK}", f"{TALK}{RULE}"):
        assert RULE in excerpt(text, 40)


def test_the_prompt_s_words_are_kept_before_others() -> None:
    text = "Alpha is fine. " * 10 + "The walrus is asleep. " + "Beta is fine. " * 10
    assert "walrus" in excerpt(text, 20, {"walru"})
    assert "walrus" not in excerpt(text, 20, {"alpha"})


def test_sentences_keep_their_order_and_gaps_are_marked() -> None:
    text = f"First: never push on Fridays. {TALK}Second: always tag the release."
    short = excerpt(text, 45)
    assert short.index("First") < short.index("Second")
    assert "…" in short


def test_a_single_sentence_that_is_too_long_is_cut_at_a_word() -> None:
    short = cut_text("word " * 200, 30)
    assert short.endswith("…")
    assert short.startswith("word word")
    assert estimate(short) <= 31


@given(st.text(max_size=600), st.integers(2, 120))
def test_an_excerpt_takes_no_more_room_than_there_is(text: str, room: int) -> None:
    assert estimate(excerpt(text, room)) <= room + 2
