"""Score turns by themselves, their neighbours and their session, and sessions by their best turns
(`ranking.TurnRecipe`): who speaks and when counts where the question names them.

Must not live here: retrieval, and relative dates ("last week"), which need a clock and are no evidence of a turn's
own date.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import UTC, datetime, timedelta
from heapq import nlargest

from msgspec import Struct

from holdfast.model.kinds import AGENT_ROLES, GENERIC_ROLES
from holdfast.model.search import TurnPlace
from holdfast.model.times import MONTHS
from holdfast.recall.bm25 import KeywordScore
from holdfast.recall.ranking import TurnRecipe
from holdfast.recall.rating import Rating, Scales
from holdfast.text.words import STOP_WORDS

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


class CandidateScene(Struct, frozen=True):
    """Candidates where they stand, and what both channels say of them, their neighbours and their sessions."""

    turns: Sequence[TurnPlace]
    scales: Scales
    sessions: Mapping[str, KeywordScore]


def rate_turns(text: str, scene: CandidateScene, recipe: TurnRecipe) -> dict[str, Rating]:
    """Return the score of every candidate."""
    own = _Own(scene, recipe)
    named_speakers = speakers_named(text, (turn.role for turn in scene.turns))
    dates = dates_named(text)
    sessions = _whole_sessions(scene, recipe, own)
    ratings = {}
    for turn in scene.turns:
        why = {
            "keyword": own.keyword(turn.id),
            "vector": own.vector(turn.id),
            "neighbours": own.lent_to(turn),
            "session": recipe.session * sessions[turn.session],
            "speaker": recipe.speaker if turn.role in named_speakers else 0.0,
            "date": recipe.date * date_fit(dates, turn.at) if dates else 0.0,
            "person": 0.0 if turn.role.lower() in AGENT_ROLES else recipe.person,
        }
        ratings[turn.id] = Rating(sum(why.values()), why)
    return ratings


def rate_sessions(text: str, scene: CandidateScene, recipe: TurnRecipe) -> dict[str, Rating]:
    """Return each session's score: the mean of its best turns'.

    A session found by its whole text alone, without a candidate among its turns, has what that text gives.
    """
    turns = rate_turns(text, scene, recipe)
    ratings_by_session: dict[str, list[Rating]] = {}
    for turn in scene.turns:
        ratings_by_session.setdefault(turn.session, []).append(turns[turn.id])
    ratings = {
        session: _mean(nlargest(recipe.best_turns, of, key=_score)) for session, of in ratings_by_session.items()
    }
    for session, session_score in scene.sessions.items():
        part = recipe.session * (1 - scene.scales.share(recipe.vector)) * session_score.score
        ratings.setdefault(session, Rating(part, {"session": part}))
    return ratings


def _score(rating: Rating) -> float:
    return rating.score


def _mean(best: Sequence[Rating]) -> Rating:
    why = {name: sum(rating.why.get(name, 0.0) for rating in best) / len(best) for name in best[0].why}
    score = sum(rating.score for rating in best) / len(best)
    return Rating(score, why)


class _Own:
    """What a turn scores by itself in each channel, weighted."""

    def __init__(self, scene: CandidateScene, recipe: TurnRecipe) -> None:
        self._scales = scene.scales
        self._agents = frozenset(turn.id for turn in scene.turns if turn.role.lower() in AGENT_ROLES)
        self._recipe = recipe
        self._places = {turn.id: turn for turn in scene.turns}
        self.vector_share = scene.scales.share(recipe.vector)

    def keyword(self, turn: str) -> float:
        share = self._recipe.agent if turn in self._agents else 1.0
        return share * (1 - self.vector_share) * self._scales.keyword.get(turn, 0.0)

    def vector(self, turn: str) -> float:
        return self.vector_share * self._scales.meaning(turn)

    def lent_to(self, turn: TurnPlace) -> float:
        """Return what the better neighbour lends a turn, and the better one of those behind them."""
        before, after = self._place(turn.before), self._place(turn.after)
        close = max(self._lent(before), self._lent(after))
        far = max(
            self._lent(before and self._place(before.before)), self._lent(after and self._place(after.after))
        )
        return self._recipe.neighbour * close + self._recipe.further * far

    def _place(self, turn: str | None) -> TurnPlace | None:
        """Return where a neighbour stands; None where there is none, or none that counts."""
        return self._places.get(turn) if turn else None

    def _lent(self, turn: TurnPlace | None) -> float:
        return self.keyword(turn.id) + self.vector(turn.id) if turn else 0.0


def _whole_sessions(scene: CandidateScene, recipe: TurnRecipe, own: _Own) -> dict[str, float]:
    """Score each candidate's session as a whole: its text by keyword, its best turns by cosine."""
    vector_scores: dict[str, list[float]] = {}
    for turn in scene.turns:
        vector_scores.setdefault(turn.session, []).append(own.vector(turn.id))
    whole = {}
    for session, vectors in vector_scores.items():
        best = nlargest(recipe.best_cosines, vectors)
        session_score = scene.sessions.get(session)
        whole[session] = sum(best) / len(best) + (1 - own.vector_share) * (
            session_score.score if session_score else 0.0
        )
    return whole


class Date(Struct, frozen=True):
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
