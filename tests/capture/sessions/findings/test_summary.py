"""The few lines that say what a session came to."""

from holdfast.capture.sessions.findings.extract import extract
from holdfast.capture.sessions.summary import MOST, summarise
from holdfast.model.session import Turn
from tests.capture.sessions.findings.chats import AGENT, USER, called, said


def summary(turns: list[Turn]) -> str:
    return summarise(turns[:5], turns[-3:], extract(turns).new)


def test_a_summary_names_goal_decisions_changes_errors_and_open_ends() -> None:
    turns = said(
        (USER, "Hi! The export of German customers opens as one column in Excel."),
        (USER, "Settled: semicolons for German locales, commas for all others, never tabs."),
        (USER, "Also the nightly build fails with ImportError in the worker."),
    )
    turns += [called("Edit", "src/export.py", place=90)]
    turns += said((AGENT, "The exporter is done. Which locale do the Swiss get?"))
    assert summary(turns).splitlines() == [
        "Goal: The export of German customers opens as one column in Excel.",
        "Decided: Settled: semicolons for German locales, commas for all others, never tabs.",
        "Changed: src/export.py",
        "Errors: Also the nightly build fails with ImportError in the worker.",
        "Open: Which locale do the Swiss get?",
    ]


def test_a_resolved_error_is_named_as_fixed() -> None:
    turns = said(
        (USER, "The importer fails with KeyError when a row has no country."),
        (AGENT, "The root cause was the summary row of the importer without a country; it is skipped now."),
    )
    lines = summary(turns).splitlines()
    assert [line.split(":")[0] for line in lines] == ["Goal", "Fixed"]


def test_a_summary_of_nothing_is_empty() -> None:
    assert summarise([], [], []) == ""


def test_a_long_list_is_cut_and_says_so() -> None:
    turns = said(*[(USER, f"Settled: service {place} must use port {9000 + place} only.") for place in range(9)])
    decided = summary(turns)
    assert f"\nDecided: ({9 - MOST} more) · " in decided
    assert "service 8" in decided
