"""Who and when a question is about: the speakers it names and the dates it gives.

Must not live here: relative dates ("last week"), which need a clock and are no evidence of a turn's own date.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from holdfast.model.kinds import GENERIC_ROLES
from holdfast.model.times import MONTHS

_MONTH = {name: number for number, name in enumerate(MONTHS, 1)}
_MONTH |= {name[:3]: number for name, number in _MONTH.items()} | {"Sept": 9}
_NAMED = re.compile(
    r"(?:\b(?P<before>\d{1,2})(?:st|nd|rd|th)?(?: of)? )?"
    r"\b(?P<month>[A-Z][a-z]{2,8})\b\.?"
    r"(?: (?P<after>\d{1,2})(?:st|nd|rd|th)?\b(?!:))?"
    r"(?:,? (?P<year>(?:19|20)\d\d)\b)?"
)
_ISO = re.compile(r"\b(?P<year>(?:19|20)\d\d)-(?P<month>\d\d)(?:-(?P<day>\d\d))?\b")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Date:
    """A month that a question names, with its year and day where it gives them."""

    month: int
    year: int | None = None
    day: int | None = None

    def fit(self, at: datetime) -> float:
        """Return 1 for the date itself, a half for the month when a day was given, else 0."""
        if at.month != self.month or self.year not in (None, at.year):
            return 0.0
        return 1.0 if self.day in (None, at.day) else 0.5


def speakers_named(question: str, roles: Iterable[str]) -> frozenset[str]:
    """Return the roles that are people's names and that the question names, in whole or by one word."""
    words = {word.casefold() for word in _WORD.findall(question)}
    return frozenset(
        role
        for role in set(roles)
        if role.lower() not in GENERIC_ROLES
        and not words.isdisjoint(word.casefold() for word in _WORD.findall(role))
    )


def dates_named(question: str) -> tuple[Date, ...]:
    """Return the dates that name a month ("8 May 2023", "in March", "2023-05-08"); "may" alone is a verb."""
    named = [
        Date(_MONTH[found["month"]], _number(found["year"]), _number(found["before"] or found["after"]))
        for found in _NAMED.finditer(question)
        if found["month"] in _MONTH
    ]
    exact = [
        Date(int(found["month"]), int(found["year"]), _number(found["day"]))
        for found in _ISO.finditer(question)
        if 1 <= int(found["month"]) <= 12
    ]
    return (*named, *exact)


def date_fit(dates: Iterable[Date], at: int) -> float:
    """Return how well a moment (epoch milliseconds) fits the best of the dates."""
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=at)
    return max((date.fit(moment) for date in dates), default=0.0)


def _number(digits: str | None) -> int | None:
    return int(digits) if digits else None
