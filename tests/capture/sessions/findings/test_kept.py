"""What a person says once and is kept, and what looks like it and is not: each through a whole session."""

from pathlib import Path

import pytest

from holdfast import Holdfast

ORDER = "Add a client for the billing service."


def learnt(project: Path, *messages: tuple[str, str]) -> list[str]:
    """Record a session and end it; return what is remembered of it."""
    with Holdfast.open(project) as memory:
        session = memory.start_session()
        for role, text in messages:
            session.record(role, text)
        session.end()
        return [one.content for one in memory.list()]


@pytest.mark.parametrize(
    "text",
    [
        "Always use Google style docstrings.",
        "Never commit to main.",
        "Please always run the linter before you commit.",
        "From now on use pnpm.",
        "Remember: deploys go out on Tuesdays.",
        "I prefer short answers.",
    ],
)
def test_plain_words_are_kept_wherever_they_stand_and_however_short(project: Path, text: str) -> None:
    """As the only sentence of a session, too: nothing around them is needed to understand them."""
    [kept] = learnt(project, ("user", text), ("assistant", "Ok."))
    assert kept.lower().rstrip(".") in text.lower()


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (
            "No, not like this: prices are integers in cents everywhere.",
            "prices are integers in cents everywhere.",
        ),
        ("Not that way: use tabs in every Makefile.", "use tabs in every Makefile."),
        ("Nope, wrong: we always use UTC in the database.", "we always use UTC in the database."),
        (
            "Wrong input must always be refused with status 422.",
            "Wrong input must always be refused with status 422.",
        ),
    ],
)
def test_a_correction_is_kept_without_the_words_that_only_turn_something_down(
    project: Path, text: str, rule: str
) -> None:
    answer = ("assistant", "Done: prices are floats, the Makefile has blanks.")
    assert learnt(project, ("user", ORDER), answer, ("user", text)) == [rule]


@pytest.mark.parametrize(
    "text",
    [
        "it will always redirect me to the login page",
        "i prefer the second option",
        "remember when we used npm for the frontend?",
        "this isnt working, switch back to the staging branch and make a new ticket for it",
        "this is not an actual order and shouldn't be shown",
    ],
)
def test_complaints_choices_and_memories_are_not(project: Path, text: str) -> None:
    assert learnt(project, ("user", ORDER), ("assistant", "Done."), ("user", text)) == []


@pytest.mark.parametrize("home", ["/" + "Users/me", "/" + "home/me", "/" + "tmp"])  # assembled
def test_a_sentence_that_shows_a_file_of_ones_own_machine_is_not(project: Path, home: str) -> None:
    text = f"no, there should be a line for each order in {home}/shop/debug/orders.log, but there is only one"
    assert learnt(project, ("user", ORDER), ("assistant", "Done."), ("user", text)) == []


def test_a_question_changes_no_rule(project: Path) -> None:
    rule = "Remember that releases are cut from the staging branch."
    assert len(learnt(project, ("user", rule), ("assistant", "Ok."))) == 1
    asked = "did you switch back to the release branch for cutting releases?"
    assert learnt(project, ("user", ORDER), ("assistant", "Done."), ("user", asked)) == [
        "releases are cut from the staging branch."
    ]


@pytest.mark.parametrize(
    ("option", "kept"),
    [
        ("Copy the changes to the session directory and commit them", False),
        ("Run the migration again", False),
        ("Prices are stored in cents everywhere", True),
    ],
)
def test_an_option_that_is_work_for_now_settles_nothing(project: Path, option: str, kept: bool) -> None:
    offer = f"There are two ways:\n1. {option}\n2. Leave everything as it is"
    found = learnt(project, ("user", "How do we go on with the prices?"), ("assistant", offer), ("user", "do 1"))
    assert bool(found) == kept
