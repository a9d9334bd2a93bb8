"""Moments: integer epoch milliseconds inside; what people write (ISO dates, `7d`) is parsed here, once."""

from datetime import UTC, date, datetime, timedelta

from holdfast.errors import InvalidInput
from holdfast.model.patterns import regex

Moment = int | str | date | datetime
"""What a caller may give for a time: epoch milliseconds, an ISO 8601 text, `7d`, a date or a datetime."""

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip

_LENGTH = regex(r"(\d{1,6})\s*(m|h|d|w|y)")
_UNIT_MS = {"m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000, "y": 31_536_000_000}
_LONGEST_SHOWN = 18
_LATEST = 253_402_300_799_999  # the last millisecond of the year 9999


def parse_past(value: Moment | None, field: str, now: int) -> int | None:
    """Read a moment; a bare length such as `7d` means that long ago."""
    return None if value is None else _parse(value, field, now, -1)


def parse_future(value: Moment | None, field: str, now: int) -> int | None:
    """Read a moment; a bare length such as `30d` means that long from now."""
    return None if value is None else _parse(value, field, now, +1)


def iso(moment: int) -> str:
    """Write a moment for people and JSON, in UTC, to the second."""
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=moment)).strftime("%Y-%m-%dT%H:%M:%SZ")


def exact(moment: int) -> str:
    """Write a moment so that it is read back as it was, in UTC, to the millisecond."""
    return f"{iso(moment)[:-1]}.{moment % 1000:03d}Z"


def day(moment: int) -> str:
    """Write the day of a moment, in UTC."""
    return iso(moment)[:10]


def written_day(moment: int) -> str:
    """Write the day of a moment as people do, in UTC: 8 May 2023."""
    at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=moment)
    return f"{at.day} {MONTHS[at.month - 1]} {at.year}"


def _parse(value: Moment, field: str, now: int, direction: int) -> int:
    match value:
        case bool():
            moment = None
        case int():
            moment = value
        case str():
            moment = _from_text(value.strip(), now, direction)
        case datetime():
            moment = _from_datetime(value)
        case date():
            moment = _from_datetime(datetime(value.year, value.month, value.day))
        case _:
            moment = None
    if moment is None or not 0 <= moment <= _LATEST:
        raise InvalidInput(
            field=field,
            problem=f"{_shown(value)} is not a time. Give epoch milliseconds, an ISO 8601 date or time, or a "
            "length such as 12h, 7d, 2w.",
        )
    return moment


def _shown(value: object) -> str:
    """Return a value as an error may show it: what is longer than a time may be a secret, and errors spread."""
    literal = repr(value)
    return literal if len(literal) <= _LONGEST_SHOWN else f"what was given ({type(value).__name__})"


def _from_text(text: str, now: int, direction: int) -> int | None:
    length = _LENGTH.fullmatch(text)
    if length:
        return max(0, now + direction * int(length[1]) * _UNIT_MS[length[2]])
    if text.isdecimal() and 8 < len(text) <= len(str(_LATEST)):
        return int(text)
    try:
        return _from_datetime(datetime.fromisoformat(text))
    except ValueError:
        return None


def _from_datetime(value: datetime) -> int:
    aware = value if value.tzinfo else value.replace(tzinfo=UTC)
    return round(aware.timestamp() * 1000)
