"""Speakers and dates in a question."""

from datetime import UTC, datetime

from holdfast.recall.turns import Date, date_fit, dates_named, speakers_named
from tests.table import table


def at(year: int, month: int, day: int) -> int:
    return int(datetime(year, month, day, 12, tzinfo=UTC).timestamp() * 1000)


def test_a_named_speaker_is_found_by_any_word_of_the_name() -> None:
    roles = ["Caroline", "Mel Brown", "Tim"]
    assert speakers_named("What did caroline tell Mel?", roles) == {"Caroline", "Mel Brown"}


def test_generic_roles_are_nobodys_name() -> None:
    assert speakers_named("Which user said that, or the assistant?", ["user", "assistant"]) == frozenset()


def test_a_word_that_tells_nothing_names_nobody() -> None:
    assert speakers_named("what did the team say", ["The Boss"]) == frozenset()
    assert speakers_named("what did the boss say", ["The Boss"]) == {"The Boss"}


def test_somebody_called_as_a_word_that_tells_nothing_is_named_by_the_capital() -> None:
    assert speakers_named("What did Will say?", ["Will", "The Boss"]) == {"Will"}
    assert speakers_named("Will he say what he will do?", ["Will"]) == frozenset()


@table(
    ("question", "dates"),
    [
        ("What happened on 8 May 2023?", (Date(5, 2023, 8),)),
        ("What happened on May 8th, 2023?", (Date(5, 2023, 8),)),
        ("in March", (Date(3),)),
        ("Where was she in March?", (Date(3),)),
        ("Where was she in Sept. 2022?", (Date(9, 2022),)),
        ("on the 3rd of June", (Date(6, None, 3),)),
        ("since 2023-05-08", (Date(5, 2023, 8),)),
        ("release 2023-13", ()),
        ("may I march?", ()),
        ("At May 10:30", (Date(5),)),
        ("May I use tabs here?", ()),
        ("March on with the plan", ()),
        ("Jan said no", ()),
        ("what did June say?", ()),
        ("we need to march on, 5 may fail", ()),
        ("the march of time", ()),
        ("the March release", (Date(3),)),
        ("between March and May", (Date(3), Date(5))),
        ("may 5 2024", (Date(5, 2024, 5),)),
        ("5 MAY 2024", (Date(5, 2024, 5),)),
        ("on 5 may", (Date(5, None, 5),)),
        ("Dec 5", (Date(12, None, 5),)),
        ("what was decided in october", (Date(10),)),
        ("November", (Date(11),)),
    ],
)
def test_dates_are_read_as_people_write_them(question: str, dates: tuple[Date, ...]) -> None:
    assert dates_named(question) == dates


def test_a_date_fits_wholly_by_its_month_or_not_at_all() -> None:
    dates = (Date(5, 2023, 8),)
    assert [date_fit(dates, moment) for moment in (at(2023, 5, 8), at(2023, 5, 9), at(2022, 5, 8))] == [
        1,
        0.5,
        0,
    ]
    assert date_fit((Date(5),), at(2021, 5, 30)) == 1
    assert date_fit((), at(2021, 5, 30)) == 0
