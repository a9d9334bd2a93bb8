"""Score turns by themselves, their neighbours and their session, and sessions by their best turns
(`ranking.TurnRecipe`). Must not live here: retrieval, and what a date is (`mentions`)."""

from collections.abc import Mapping, Sequence
from heapq import nlargest

from holdfast.model.kinds import AGENT_ROLES
from holdfast.model.search import TurnPlace
from holdfast.model.value import Value
from holdfast.recall.bm25 import KeywordScore
from holdfast.recall.fuse import Scales
from holdfast.recall.memories import Rating
from holdfast.recall.mentions import date_fit, dates_named, speakers_named
from holdfast.recall.ranking import TurnRecipe


class CandidateScene(Value):
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
