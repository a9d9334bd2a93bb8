"""A text's kind follows from the cues in it."""

import time

import pytest

from holdfast.capture.classify import PRIORITY, classify, rows, scores
from tests.table import table


@table(
    ("text", "kind"),
    [
        ("Fixed authentication bug causing login failures", "bugfix"),
        ("Added new export feature for CSV format", "feature"),
        ("Decided to add retries", "decision"),
        ("We refactored the parser and fixed nothing", "refactor"),
        ("Discovered that the cache ignores the tenant", "discovery"),
        ("Modified the retry policy", "change"),
        ("Never force-push to main", "warning"),
        ("I prefer small commits", "preference"),
        ("ValueError: bad literal in parse_config", "error"),
        ("The service layer depends on ports only", "architecture"),
        ("By convention every module has a docstring", "pattern"),
        ("Edited src/app.py and tests/test_app.py", "file_change"),
        ("TODO: write the rollback script", "task_progress"),
        ("The staging database runs Postgres 15.4", "fact"),
        ("Amendment: we no longer use Redis for the queue, switched to Postgres", "decision"),
    ],
)
def test_a_clear_cue_decides(text: str, kind: str) -> None:
    assert classify(text)[0] == kind


def test_a_text_without_a_cue_is_an_observation_without_confidence() -> None:
    assert classify("Lunch was good") == ("observation", 0.0)
    assert classify("The cat is here") == ("observation", 0.0)  # one weak cue is none
    assert classify("") == ("observation", 0.0)


def test_cues_are_whole_words_with_inflections() -> None:
    assert classify("Fixing the login")[0] == "bugfix"
    assert classify("The fixture prefix affixes itself")[0] == "observation"


def test_names_of_files_and_code_are_no_cues() -> None:
    assert "bugfix" not in scores("Look at fix_bug.py and `fix_crash()`")


def test_a_tie_goes_to_the_kind_that_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdfast.capture.classify.scores", lambda _: {"change": 3.0, "warning": 3.0, "fact": 1.0})
    assert classify("whatever") == ("warning", 0.43)


def test_a_cue_among_the_opening_words_counts_more() -> None:
    assert scores("Fixed it last night")["bugfix"] > scores("By last night we had it fixed")["bugfix"]


def test_confidence_falls_when_another_kind_is_close() -> None:
    clear = classify("Refactored the parser")[1]
    mixed = classify("Refactored the parser and fixed a bug in it, then updated the docs")[1]
    assert 0 < mixed < clear <= 1


def test_later_sentences_count_less_than_the_first() -> None:
    assert classify("We decided to keep SQLite. A bug was fixed.")[0] == "decision"
    assert classify("A bug was fixed. We decided to keep SQLite.")[0] == "bugfix"


def test_every_cue_belongs_to_a_known_kind_and_every_kind_but_the_fallback_has_cues() -> None:
    assert {kind for kind, _, _ in rows()} == set(PRIORITY) - {"observation"}


@table("unit", ["a", "`", "a/", "a.", "- ", "fix ", "no longer ", "\n", "0", "FILE, "])
def test_a_megabyte_takes_bounded_time(unit: str) -> None:
    classify("compile the table first")
    text = unit * (1_000_000 // len(unit))
    began = time.process_time()
    classify(text)
    assert time.process_time() - began < 8
