"""The few lines that say what a session came to."""

from holdfast.capture.sessions.learn import learn
from holdfast.capture.sessions.summary import MOST, summarise
from holdfast.model.session import Turn
from tests.capture.sessions.chats import AGENT, USER, called, said
from tests.judges import ScriptedJudge, lasting

JUDGE = ScriptedJudge({"Settled": lasting(), "service": lasting()})


def summary(turns: list[Turn]) -> str:
    return summarise(turns[:5], turns[-3:], learn(turns, (), (), JUDGE).new)


def test_a_summary_names_goal_decisions_changes_errors_and_open_ends() -> None:
    turns = said(
        (USER, "Hi! The export of German customers opens as one column in Excel."),
        (USER, "Settled: semicolons for German locales, commas for all others, never tabs."),
        (USER, "Also the nightly build fails with ImportError in the worker."),
    )
    turns += [called("Edit", "src/export.py", place=90), called("Bash", place=91, text="ImportError: no worker")]
    turns += said((AGENT, "The exporter is done. Which locale do the Swiss get?"))
    assert summary(turns).splitlines() == [
        "Goal: The export of German customers opens as one column in Excel.",
        "Decided: Settled: semicolons for German locales, commas for all others, never tabs.",
        "Changed: src/export.py",
        "Errors: ImportError: no worker",
        "Open: Which locale do the Swiss get?",
    ]


def test_a_decision_that_was_taken_back_is_not_named() -> None:
    turns = said((USER, "Settled: the exporter writes tabs."), (USER, "Never mind, scrap that."))
    assert "Decided" not in summary(turns)


def test_a_resolved_error_is_named_as_fixed() -> None:
    turns = [
        *said((USER, "The importer is broken, look at it.")),
        called("Bash", place=1, text="KeyError: row of the importer without a country"),
        *said((AGENT, "ok"), (AGENT, "The root cause was a row of the importer without a country."))[1:],
    ]
    assert [line.split(":")[0] for line in summary(turns).splitlines()] == ["Goal", "Fixed"]


def test_a_summary_of_nothing_is_empty() -> None:
    assert summarise([], [], []) == ""


def test_a_long_list_is_cut_and_says_so() -> None:
    turns = said(*[(USER, f"Settled: service {place} must use port {9000 + place} only.") for place in range(9)])
    decided = summary(turns)
    assert f"\nDecided: ({9 - MOST} more) · " in decided
    assert "service 8" in decided
