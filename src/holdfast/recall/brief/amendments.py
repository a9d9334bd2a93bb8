"""Which of two settled things holds: a later one that changes the earlier takes its place.

Sharing a topic is not enough: people ask about a rule, add to it, test it. A change announces itself ("no
longer", "instead of", "raise it to"), or gives another number to the same thing, or keeps a part of what was
("the rest stays"). The weaker the sign, the more of the topic must be shared. And only a person's word changes a
person's: what an agent says on its own is no amendment of it. Must not live here: what is done about it
(`candidates`), and memories that were superseded when they were added (`capture`).
"""

import re
from functools import cache, lru_cache

from msgspec import Struct

from holdfast.embedding.common_words import RARE_IDF, table
from holdfast.model.patterns import regex
from holdfast.stores.analyser import tokens
from holdfast.text.words import STOP_WORDS

CERTAIN_SHARE = 0.15
PLAIN_SHARE = 0.25
HINTED_SHARE = 0.5
"""The share of the earlier statement's topic that a later one must touch, by how plainly it says that it changes
it."""

SHORT = 4
"""Words of a topic up to which what was asked before belongs to it."""

LEAST_SHARED_WORDS = 2
"""Words of the earlier statement that a later one must hold; one where it gives the same thing another number."""

SAME_SESSION = 0.34
"""The share that a change must touch of what the same session said before."""

SAID_AGAIN = 0.6
"""The share from which on a session says the same again, without any sign of change."""

MOST_CHARS = 4_000
"""Characters of a text that are read."""

SAME_SHARE = 0.8
"""The share of a text's words from which on another says the same."""

RESTATED_SHARE = 0.5
"""The share from which on the later statement says all that still holds of the earlier."""

# Texts are put in lower case before: a pattern that need not mind case is three times as fast.
_PLAIN_CHANGE = regex(
    r"\b(?:amend\w*|supersed\w*|correction|no longer|any ?more|instead of|rather than|in place of|"
    r"replac(?:e|es|ed|ing)|swap(?:s|ped|ping)?|switch(?:ed|ing)? (?:\S+ ){0,6}?(?:from|to|over)|"
    r"mov(?:e|ed|ing) (?:\S+ ){0,6}?(?:to|over|off|from)|migrat(?:e|ed|ing)|revert(?:ed|ing)?|revers(?:es|ed|ing)|"
    r"revis(?:es|ed|ing|ion)|scrap(?:s|ped)?|get rid of|drop(?:s|ped)|deprecat\w*|retir(?:e|es|ed|ing)|"
    r"discontinu\w*|new (?:rule|policy|limit|default)|(?:is|are|was|were) (?:gone|out|a mistake|removed|deleted)|"
    r"(?:goes|go) away|from (?:now|here|today|then|next \w+|\w+day)(?: on)?|going forward|"
    r"starting (?:next|on|with|from|\w+day)|"
    r"(?:rais|cut|lower|bump|widen|extend|shorten|increas|reduc|chang|tighten|relax|doubl|halv)\w* (?:\S+ "
    r"){0,6}?to\b|"
    r"updates? (?:to|on|about)|removed the|turned off|change (?:it|that|this|the))\b",
)
_HINTED_CHANGE = regex(
    r"\b(?:now|instead|becomes?|changed|updated?|after all|back to|still|stays?|remains?|keeps?|unchanged|"
    r"as before|"
    r"the rest|the old|as well)\b",
)
_ADDITION = regex(r"\b(?:in addition|additionally|on top of|also add|as well as|furthermore)\b")
_NEGATES = regex(r"\b(?:never|not?|none|without|avoid|stop|forbid\w*|cannot|\w+n['’]t)\b", re.IGNORECASE)
_QUANTITY = regex(
    r"(?P<value>\d[\d.,:]*|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|"
    r"forty|fifty|sixty|ninety)\b)[ -]?(?P<unit>[a-z]{1,12})?",
)
_NO_TOPIC = frozenset(
    tokens(
        "every everything take keep stay remain settle agree final rule policy number like want use make set "
        "now still "
        "one two three four five six seven eight nine ten second minute hour day week month year time old new "
        "first last rest part thing way only also well good right fine okay yes exactly never always must "
        "should amend supersede change update replace instead understood done noted recap decide decision "
        + " ".join(STOP_WORDS)
    )
)
"""Words that settled things share whatever they are about, in their index form."""


class SettledStatement(Struct, frozen=True):
    """Something settled: what it says, what was said just around it, and when."""

    text: str
    around: str
    session: str | None
    at: int
    order: int
    by_person: bool = True
    """Whether a person said it, or took it over."""


class Restatement(Struct, frozen=True):
    """How much of an earlier statement a later one says anew."""

    restated: float
    certain: bool = False
    """Whether the later one announces a change and gives another number to the same thing."""

    @property
    def whole(self) -> bool:
        """Whether nothing of the earlier one is needed any more."""
        return self.restated >= RESTATED_SHARE


def later(first: SettledStatement, second: SettledStatement) -> bool:
    """Say whether one was said after the other."""
    if first.session == second.session and first.session is not None:
        return first.order > second.order
    return first.at > second.at


def amendment(newer: SettledStatement, older: SettledStatement) -> Restatement | None:
    """Return how a later statement amends an earlier one; None when it does not."""
    if not later(newer, older) or (older.by_person and not newer.by_person):
        return None
    topic, newer_topic = _whole_topic(older), topic_of(newer.text)
    restated_topic = topic & newer_topic
    needed_share = _needed_share(newer, older)
    if needed_share is None or len(restated_topic) < (
        1 if _counts_otherwise(newer.text, older.text) else min(LEAST_SHARED_WORDS, len(topic))
    ):
        return None
    about = _share(topic & (newer_topic | topic_of(newer.around)), topic)
    if about < needed_share:
        return None
    return Restatement(_share(restated_topic, topic), certain=_change(newer, older) == CERTAIN_SHARE)


def says_all(text: str, covered_text: str) -> bool:
    """Say whether a text says what another says: its words, its numbers, and the same side of it."""
    topic = topic_of(covered_text)
    if not topic or len(topic & topic_of(text)) < SAME_SHARE * len(topic):
        return False
    return _numbers(covered_text) <= _numbers(text) and bool(_NEGATES.search(text)) == bool(
        _NEGATES.search(covered_text)
    )


def _numbers(text: str) -> frozenset[str]:
    return frozenset(value for values in quantities(text).values() for value in values)


def _share(part: frozenset[str], whole: frozenset[str]) -> float:
    """Return how much of a topic its part is; a common word counts less than a rare one."""
    return sum(map(_weight, part)) / sum(map(_weight, whole)) if part else 0.0


def _weight(stem: str) -> float:
    return _common_stems().get(stem, 1.0)


@cache
def _common_stems() -> dict[str, float]:
    """Return what common words weigh, by their index form."""
    return {stem: value / RARE_IDF for word, value in table().items() for stem in tokens(word)}


def _needed_share(newer: SettledStatement, older: SettledStatement) -> float | None:
    """Return the share of the topic that must be touched; None where no share is enough."""
    change = _change(newer, older)
    if newer.session is None or newer.session != older.session:
        return change
    return SAID_AGAIN if change is None else SAME_SESSION


def _change(newer: SettledStatement, older: SettledStatement) -> float | None:
    """Return the share by what announces a change, and by numbers that differ; None where nothing does."""
    signs = _sign(newer.around), _sign(newer.text)
    if "addition" in signs:
        return None
    numbers_differ = _counts_otherwise(newer.text, older.text)
    if "plain" in signs or numbers_differ:
        return CERTAIN_SHARE if "plain" in signs and numbers_differ else PLAIN_SHARE
    return HINTED_SHARE if "hinted" in signs else None


@lru_cache(maxsize=1024)
def _sign(text: str) -> str | None:
    """Say how a text announces that something changes."""
    text = text[:MOST_CHARS].lower()
    if _ADDITION.search(text):
        return "addition"
    if _PLAIN_CHANGE.search(text):
        return "plain"
    return "hinted" if _HINTED_CHANGE.search(text) else None


def _whole_topic(statement: SettledStatement) -> frozenset[str]:
    """Return what a statement is about; a short one is about what was asked before it, too."""
    topic = topic_of(statement.text)
    return topic if len(topic) > SHORT else topic | topic_of(statement.around)


def _counts_otherwise(newer: str, older: str) -> bool:
    """Say whether both give a number to the same thing, and not the same number."""
    before, after = quantities(older), quantities(newer)
    return any(unit and not before[unit] & after[unit] for unit in before.keys() & after.keys())


@lru_cache(maxsize=512)
def quantities(text: str) -> dict[str, frozenset[str]]:
    """Return the numbers of a text by what they count; those that count nothing under an empty word."""
    values_by_unit: dict[str, set[str]] = {}
    for match in _QUANTITY.finditer(text[:MOST_CHARS].lower()):
        unit = (match["unit"] or "").rstrip("s")
        values_by_unit.setdefault(unit, set()).add(match["value"].rstrip(".,:"))
    return {unit: frozenset(values) for unit, values in values_by_unit.items()}


@lru_cache(maxsize=1024)
def topic_of(text: str) -> frozenset[str]:
    """Return what a text is about: its telling words in their index form, without numbers."""
    stems = frozenset(tokens(text[:MOST_CHARS])) - _NO_TOPIC
    return frozenset(stem for stem in stems if len(stem) > 2 and not stem.isdecimal())
