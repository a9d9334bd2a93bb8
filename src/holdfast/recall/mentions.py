"""Who and when a question is about: the speakers it names and the dates it gives.

Must not live here: relative dates ("last week"), which need a clock and are no evidence of a turn's own date.
"""

import re
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from datetime import UTC, datetime, timedelta

from holdfast.capture.text.stopwords import STOP_WORDS
from holdfast.model.kinds import GENERIC_ROLES
from holdfast.model.times import MONTHS
from holdfast.model.value import Value

_MONTH = {name.lower(): number for number, name in enumerate(MONTHS, 1)}
_MONTH |= {name[:3]: number for name, number in _MONTH.items()} | {"sept": 9}
_PLAIN = frozenset(("january", "february", "july", "september", "october", "november", "december"))
"""Months that are nothing else; the others are verbs or people's names too, and so are short forms."""
_VERBS = frozenset(("may", "march"))
_WHEN = frozenset(
    "in on at by of since until till during before after from through between last next early late mid".split()
)
_DETERMINERS = frozenset("the this that each every our my your his her their".split())
_FURTHER = frozenset(("and", "or", "to"))
_NAMED_DATE = re.compile(
    r"(?:\b(?P<lead>[a-z]+) )?"
    r"(?:\b(?P<before>\d{1,2})(?:st|nd|rd|th)?(?: of)? )?"
    rf"\b(?P<month>{'|'.join(sorted(_MONTH, key=len, reverse=True))})\b\.?"
    r"(?: (?P<after>\d{1,2})(?:st|nd|rd|th)?\b(?!:))?"
    r"(?:,? (?P<year>(?:19|20)\d\d)\b)?",
    re.IGNORECASE,
)
_ISO = re.compile(r"\b(?P<year>(?:19|20)\d\d)-(?P<month>\d\d)(?:-(?P<day>\d\d))?\b")
_WORD = re.compile(r"\w+")


class Date(Value):
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
    """Return the roles that are people's names and that the question names, in whole or by one telling word.

    Who is called as a word that tells nothing ("Will") must be written with a capital, inside the sentence.
    """
    question_words = _WORD.findall(question)
    words = {word.casefold() for word in question_words} - STOP_WORDS
    capitals = {word.casefold() for word in question_words[1:] if word[0].isupper()}
    return frozenset(
        role for role in set(roles) if role.lower() not in GENERIC_ROLES and _is_named(role, words, capitals)
    )


def dates_named(question: str) -> tuple[Date, ...]:
    """Return the dates that name a month ("8 May 2023", "in March", "2023-05-08"); "may" alone is a verb."""
    dates: list[Date] = []
    for match in _NAMED_DATE.finditer(question):
        if _is_date(match, further=bool(dates)):
            month = _MONTH[match["month"].lower()]
            dates.append(Date(month, _number(match["year"]), _number(match["before"] or match["after"])))
    exact = [
        Date(int(match["month"]), int(match["year"]), _number(match["day"]))
        for match in _ISO.finditer(question)
        if 1 <= int(match["month"]) <= 12
    ]
    return (*dates, *exact)


def date_fit(dates: Iterable[Date], at: int) -> float:
    """Return how well a moment (epoch milliseconds) fits the best of the dates."""
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=at)
    return max((date.fit(moment) for date in dates), default=0.0)


def _number(digits: str | None) -> int | None:
    return int(digits) if digits else None


def _is_named(role: str, words: AbstractSet[str], capitals: AbstractSet[str]) -> bool:
    own = {word.casefold() for word in _WORD.findall(role)}
    return not (own - STOP_WORDS).isdisjoint(words) or (own <= STOP_WORDS and not own.isdisjoint(capitals))


def _is_date(match: re.Match[str], *, further: bool) -> bool:
    """Tell a month from a verb or a name by the day or year beside it, or by the word before it."""
    name, lead = match["month"].lower(), (match["lead"] or "").lower()
    capital = match["month"].istitle()
    if match["year"] or lead in _WHEN or (capital and (lead in _DETERMINERS or (further and lead in _FURTHER))):
        return True
    if match["before"] or match["after"]:
        return capital or name not in _VERBS
    return name in _PLAIN
