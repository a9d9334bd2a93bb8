"""What the two channels found: keyword scores from pooled counts, and cosines. Retrieval only, no fusion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct, field

from holdfast.model.search import Filters, Matches, Query, Term
from holdfast.model.vectors import MEMORY, TURN, Near, VectorModel
from holdfast.recall.bm25 import MEMORIES, SESSIONS, TURNS, KeywordScore, Shape, score
from holdfast.recall.stand_ins import (
    DEFAULTS,
    LEAST_PREFIX,
    allowed_slips,
    ask_for_groups,
    longer,
    misspelt,
    stand_ins,
)
from holdfast.stores.analyser import fold_word
from holdfast.text.words import terms_of

if TYPE_CHECKING:
    from holdfast.ports import Store, Vector


class _Index(Protocol):
    """What holds words: memories, turns, whole sessions."""

    def match(self, terms: Sequence[Term], filters: Filters, limit: int) -> Matches: ...
    def words(self, lead: str) -> dict[str, int]: ...


Key = tuple[int, str]
"""A row: the place of its store, and its id."""


SPARE = 2
"""Turns taken by meaning for each one wanted: about half of a session is what tools printed."""


class Question(Struct, frozen=True):
    """A query with its vector, None where only words count, and the model that the vector is of."""

    query: Query
    vector: Vector | None = None
    model: VectorModel | None = None
    encoder: str = ""
    """Who made the vector."""
    aliases: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The project's own."""

    @property
    def terms(self) -> tuple[Term, ...]:
        """The words that are looked for."""
        return _lately_read(self.query.text) if self.by_word else ()

    @property
    def uncommon(self) -> list[float]:
        """How rare each of them is wherever people write about code; asked only beside meaning."""
        if self.vector is None:
            return [1.0] * len(self.terms)
        from holdfast.embedding.common_words import RARE_IDF, idf  # a hook that asks by words starts without it

        return [idf(term.word.lower()) / RARE_IDF for term in self.terms]

    @property
    def by_word(self) -> bool:
        """Whether words count."""
        return self.query.mode != "vector"

    def vector_for(self, store: Store) -> Vector | None:
        """Return the vector to ask a store with; None where another model made what it keeps."""
        return self.vector if self.vector is not None and store.vectors.model() == self.model else None


@lru_cache(16)
def _lately_read(text: str) -> tuple[Term, ...]:
    """Return the terms of a question, which one search asks for again and again."""
    return terms_of(text)


class ChannelScores(Struct, frozen=True):
    """What each channel says of rows. Rows may be in one and not in the other."""

    keyword: dict[Key, KeywordScore]
    cosine: dict[Key, float]
    documents: int = 0
    """Rows that words were looked for in."""

    @property
    def rows(self) -> list[Key]:
        """The rows that are in either."""
        return list({**dict.fromkeys(self.keyword), **dict.fromkeys(self.cosine)})


def find_memories(question: Question, stores: Sequence[Store], pool: int) -> ChannelScores:
    """Return the memories of all stores that either channel has in its pool, with both scores of each."""
    filters = question.query.filters
    matches = _matches(question, [store.memories for store in stores], pool)
    keyword = {
        (keyword_score.store, keyword_score.id): keyword_score
        for keyword_score in score(matches, MEMORIES, question.uncommon)
    }
    cosine: dict[Key, float] = {}
    for place, store in enumerate(stores):
        vector = question.vector_for(store)
        if vector is not None:
            neighbours = store.vectors.nearest(MEMORY, vector, filters, pool)
            cosine.update({(place, neighbour.id): neighbour.cosine for neighbour in neighbours})
            missing_ids = [row for where, row in keyword if where == place and (place, row) not in cosine]
            exact = store.vectors.cosines(MEMORY, vector, missing_ids)
            cosine.update({(place, row): value for row, value in exact.items()})
    return ChannelScores(keyword, cosine, sum(match.documents for match in matches))


def find_turns(question: Question, store: Store, pool: int, shape: Shape = TURNS) -> ChannelScores:
    """Return the turns that either channel has in its pool; cosines of the others are asked for separately."""
    matches = _matches(question, [store.turns], pool)
    keyword = {(0, keyword_score.id): keyword_score for keyword_score in score(matches, shape, question.uncommon)}
    cosine: dict[Key, float] = {}
    vector = question.vector_for(store)
    if vector is not None:
        neighbours = _nearest_turns(vector, store, question.query.filters, pool)
        cosine = {(0, neighbour.id): neighbour.cosine for neighbour in neighbours}
    return ChannelScores(keyword, cosine, sum(match.documents for match in matches))


def _nearest_turns(vector: Vector, store: Store, filters: Filters, pool: int) -> list[Near]:
    """Return the nearest turns that pass the filters.

    To tell what was said from what tools printed a store would go through all of its turns: more are taken than
    wanted, and the others left out. Where that leaves too few, the store is asked for just these.
    """
    if filters.spoken is None or filters.by_anybody.restrict:
        return store.vectors.nearest(TURN, vector, filters, pool)
    neighbours = store.vectors.nearest(TURN, vector, filters.by_anybody, SPARE * pool)
    wanted_ids = {
        place.id
        for place in store.turns.places([neighbour.id for neighbour in neighbours])
        if place.said == filters.spoken
    }
    fitting = [neighbour for neighbour in neighbours if neighbour.id in wanted_ids]
    if len(neighbours) < SPARE * pool or len(fitting) >= pool // SPARE:
        return fitting[:pool]
    return store.vectors.nearest(TURN, vector, filters, pool)


def find_sessions(question: Question, store: Store, pool: int) -> dict[str, KeywordScore]:
    """Return the sessions whose whole text holds the words, by id."""
    return {
        keyword_score.id: keyword_score
        for keyword_score in score(_matches(question, [_Whole(store)], pool), SESSIONS)
    }


class _Whole:
    """Sessions as documents; their words are those of their turns."""

    def __init__(self, store: Store) -> None:
        self.match = store.sessions.match
        self.words = store.turns.words


def _matches(question: Question, indexes: Sequence[_Index], pool: int) -> list[Matches]:
    """Ask every index; a word counts together with what the project calls it otherwise.

    A word that none holds is replaced by what most projects call it, by words that begin with it or that are a
    slip away. Only then: to widen a word that does match costs precision.
    """
    terms = question.terms
    if not terms:
        return []
    filters = question.query.filters
    own = stand_ins(terms, question.aliases)
    groups = [[term, *synonyms] for term, synonyms in zip(terms, own, strict=True)]
    matches = [_ask(index, groups, filters, pool) for index in indexes]
    if not any(index_matches.documents for index_matches in matches):
        return matches
    absent = [not any(match.document_frequencies[place] for match in matches) for place in range(len(terms))]
    replacements = [
        _replacements_for(term, indexes) if is_absent else []
        for term, is_absent in zip(terms, absent, strict=True)
    ]
    if not any(replacements):
        return matches
    wider = [words or group for words, group in zip(replacements, groups, strict=True)]
    return [_ask(index, wider, filters, pool) for index in indexes]


def _ask(index: _Index, groups: Sequence[Sequence[Term]], filters: Filters, pool: int) -> Matches:
    """Ask an index for the words of all groups."""
    return ask_for_groups(lambda terms: index.match(terms, filters, pool), groups)


def _replacements_for(term: Term, indexes: Sequence[_Index]) -> list[Term]:
    """Return what most projects call it, where an index holds that; else words of the indexes that begin as a word
    does, typed or else stemmed; or that it misspells."""
    default_synonyms = [
        synonym for synonym in stand_ins([term], DEFAULTS)[0] if synonym.stem in _vocabulary(synonym.stem, indexes)
    ]
    if default_synonyms:
        return default_synonyms
    word = fold_word(term.word)
    for lead in dict.fromkeys((word, term.stem)):
        if len(lead) >= LEAST_PREFIX and (longer_words := longer(_vocabulary(lead, indexes))):
            return longer_words
    return misspelt(word, _vocabulary(word[:1], indexes)) if allowed_slips(word) else []


def _vocabulary(lead: str, indexes: Sequence[_Index]) -> dict[str, int]:
    """Return the index forms that begin so, and how many documents hold each."""
    vocabulary: dict[str, int] = {}
    for index in indexes:
        for form, count in index.words(lead).items():
            vocabulary[form] = vocabulary.get(form, 0) + count
    return vocabulary
