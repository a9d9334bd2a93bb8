"""How many tokens a text has, beside what o200k counts (`scripts/count_tokens.mjs`)."""

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from holdfast.recall.brief.budget import estimate
from scripts import sample_briefs
from tests.table import table

DATA = Path(__file__).parents[2] / "data" / "tokens"
TEXTS = json.loads((DATA / "texts.json").read_text("utf-8"))
BRIEFS = json.loads((DATA / "briefs.json").read_text("utf-8"))


@table("one", TEXTS, ids=lambda one: str(one["name"]))
def test_a_kilobyte_of_prose_code_or_cjk_is_estimated_within_fifteen_percent(one: dict[str, object]) -> None:
    text, counted = str(one["text"]), int(str(one["o200k"]))
    assert len(text.encode()) >= 1_000
    assert abs(estimate(text) / counted - 1) <= 0.15


def test_the_texts_are_of_every_sort() -> None:
    assert {str(one["name"]).split("-")[0] for one in TEXTS} == {"prose", "code", "cjk"}


@table("one", BRIEFS, ids=lambda one: str(one["name"]))
def test_no_brief_has_more_tokens_than_its_budget(one: dict[str, object]) -> None:
    assert int(str(one["o200k"])) <= int(str(one["budget"]))


def test_the_counted_briefs_are_those_that_are_filled_now() -> None:
    """When this fails: run scripts/sample_briefs.py, then scripts/count_tokens.mjs."""
    kept = [{name: one[name] for name in ("name", "budget", "text")} for one in BRIEFS]
    assert sample_briefs.briefs() == kept


def test_nothing_has_no_tokens_and_anything_has_some() -> None:
    assert estimate("") == 0
    assert estimate("a") >= 1


@given(st.text(max_size=200), st.text(max_size=200))
def test_more_text_never_has_fewer_tokens_and_parts_never_much_fewer_than_the_whole(one: str, other: str) -> None:
    """A sum of parts is what fills a budget, so it may not fall behind."""
    whole = estimate(one + other)
    assert whole >= estimate(one) - 1
    assert estimate(one) + estimate(other) >= whole - 2


def test_what_is_no_language_costs_more_than_words_of_its_length() -> None:
    assert estimate("xqzvkjwpxqzv") > 2 * estimate("understanding")
