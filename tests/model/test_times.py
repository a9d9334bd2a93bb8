"""Moments as people write them."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import InvalidInput
from holdfast.model.times import Moment, day, iso, parse_future, parse_past

NOW = 1_800_000_000_000
NEW_YEAR = 1_767_225_600_000
HOUR = 3_600_000


@pytest.mark.parametrize(
    ("given_as", "moment"),
    [
        (NEW_YEAR, NEW_YEAR),
        (0, 0),
        (str(NEW_YEAR), NEW_YEAR),
        ("2026-01-01", NEW_YEAR),
        (" 2026-01-01 ", NEW_YEAR),
        ("20260101", NEW_YEAR),
        ("2026-01-01T00:00:00Z", NEW_YEAR),
        ("2026-01-01T01:00:00+01:00", NEW_YEAR),
        ("2026-01-01 00:00:00.250", NEW_YEAR + 250),
        (date(2026, 1, 1), NEW_YEAR),
        (datetime(2026, 1, 1, tzinfo=UTC), NEW_YEAR),
        (datetime(2026, 1, 1, 1, tzinfo=timezone(timedelta(hours=1))), NEW_YEAR),
        (datetime(2026, 1, 1), NEW_YEAR),
    ],
)
def test_a_moment_is_read_in_every_form(given_as: Moment, moment: int) -> None:
    """Without a zone it is UTC; past and future agree on what is absolute."""
    assert parse_past(given_as, "since", NOW) == moment
    assert parse_future(given_as, "expires", NOW) == moment


def test_a_length_counts_back_for_the_past_and_on_for_the_future(subtests: pytest.Subtests) -> None:
    """`7d` ago, `30d` from now."""
    for length, milliseconds in [
        ("1m", 60_000),
        ("12h", 12 * HOUR),
        ("7d", 168 * HOUR),
        ("2 w", 336 * HOUR),
        ("1y", 8_760 * HOUR),
        ("0d", 0),
    ]:
        with subtests.test(length=length, milliseconds=milliseconds):
            assert parse_past(length, "since", NOW) == NOW - milliseconds
            assert parse_future(length, "expires", NOW) == NOW + milliseconds


def test_a_length_never_leads_before_the_beginning_of_time() -> None:
    """A very long time ago is the epoch."""
    assert parse_past("999999d", "since", NOW) == 0


def test_no_moment_is_none() -> None:
    """What is not given stays open."""
    assert parse_past(None, "since", NOW) is None
    assert parse_future(None, "expires", NOW) is None


def test_what_is_no_time_is_refused_with_the_name_of_the_field(subtests: pytest.Subtests) -> None:
    """And says what to give instead."""
    for wrong in [
        "",
        "yesterday",
        "7",
        "7 days",
        "-7d",
        "2026-13-01",
        -1,
        10**15,
        "9" * 5_000,
        "1" * 16,
        True,
        1.5,
        [],
        "999999y",
    ]:
        with subtests.test(wrong=wrong):
            with pytest.raises(
                InvalidInput, match=r"^expires: .* is not a time\. Give epoch milliseconds"
            ) as caught:
                parse_future(wrong, "expires", NOW)  # type: ignore[arg-type]  # a caller's mistake
            assert caught.value.field == "expires"


@given(moment=st.integers(0, 253_402_300_799_999))
def test_what_is_written_is_read_back_to_the_second(moment: int) -> None:
    """For every moment there is."""
    assert parse_past(iso(moment), "at", NOW) == moment - moment % 1000
    assert day(moment) == iso(moment)[:10]


def test_moments_are_written_in_utc() -> None:
    """The form of JSON and of tables."""
    assert iso(NEW_YEAR + 3_723_999) == "2026-01-01T01:02:03Z"
    assert day(NEW_YEAR) == "2026-01-01"
