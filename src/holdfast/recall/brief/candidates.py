"""What may belong into a brief: memories, found by words and by meaning in every store, and the scores of these
and of what was said (`evidence`); and which of them hold now.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from holdfast.model.kinds import TOOL, USER
from holdfast.model.memory import Memory
from holdfast.model.search import Filters, Matches
from holdfast.model.session import Turn
from holdfast.model.vectors import MEMORY
from holdfast.recall.bm25 import MEMORIES
from holdfast.recall.brief.amendments import SettledStatement, amendment, later, topic_of
from holdfast.recall.brief.evidence import BriefSearch, Utterance
from holdfast.recall.brief.relevance import WordWeights, cosines_of, relevance, vector_for
from holdfast.recall.brief.weights import (
    KINDS,
    SAME_FILE,
    Scene,
    is_said,
    is_sure,
    memory_parts,
    score,
    stands,
    turn_parts,
    turn_trust,
)
from holdfast.recall.stand_ins import widely

if TYPE_CHECKING:
    from holdfast.ports import Store

POSTINGS = 1_000
POOL = 40
"""Memories taken from each channel of each store."""

MOST_WORTH = max(KINDS.values()) * SAME_FILE
"""What relevance can grow to at most before it is held against the floor."""


class RelevantMemory(Struct, frozen=True):
    """A memory and how much it has to do with a prompt."""

    memory: Memory
    relevance: float


def find_memories(search: BriefSearch, stores: Sequence[Store], now: int) -> list[RelevantMemory]:
    """Return memories that hold, of any kind and trust but what a tool said, best first, at most so many."""
    filters = Filters(current_at=now)
    pool = min(POOL, search.most)
    matches = [_matches(search, store, filters, pool) for store in stores]
    weights = WordWeights.of(search.terms, matches)
    ratings: list[tuple[float, int, str]] = []
    for place, store in enumerate(stores):
        rare_words = {
            candidate.id: weights.held(candidate.frequencies, MEMORIES.saturation)
            for candidate in matches[place].candidates
        }
        vector = vector_for(store, search.vector)
        cosines = cosines_of(MEMORY, vector, store, filters, pool, list(rare_words))
        for memory_id in dict.fromkeys((*rare_words, *cosines)):
            value = relevance(rare_words.get(memory_id, 0.0), cosines.get(memory_id) if cosines else None)
            if value * MOST_WORTH >= search.floors.rule:
                ratings.append((value, place, memory_id))
    best = sorted(ratings, key=lambda row: -row[0])[: search.most]
    rows = {
        memory.id: memory
        for place, store in enumerate(stores)
        for memory in store.memories.get([memory_id for _, home, memory_id in best if home == place])
    }
    return [
        RelevantMemory(rows[memory_id], round(value, 4))
        for value, _, memory_id in best
        if memory_id in rows and rows[memory_id].trust != TOOL
    ]


def _matches(search: BriefSearch, store: Store, filters: Filters, pool: int) -> Matches:
    return widely(lambda terms: store.memories.match(terms, filters, pool, POSTINGS), search.terms, search.aliases)


class ScoredEntry(Struct, frozen=True):
    """A memory or a turn with the parts of its score."""

    source: Memory | Turn
    parts: dict[str, float]
    text: str
    """What is told of it."""

    @property
    def id(self) -> str:
        """Its id."""
        return self.source.id

    @property
    def session(self) -> str | None:
        """The session it came up in."""
        return self.source.session

    @property
    def score(self) -> float:
        """The product of its parts."""
        return score(self.parts)

    @property
    def statement(self) -> SettledStatement:
        """What it says, as something settled."""
        if isinstance(self.source, Memory):
            return statement_of_memory(self.source)
        by_person = turn_trust(self.source) == USER
        return SettledStatement(self.text, "", self.source.session, self.source.at, 0, by_person)

    @property
    def stands(self) -> bool:
        """Whether a person stands behind it."""
        return stands(self.source) if isinstance(self.source, Memory) else turn_trust(self.source) == USER

    @property
    def applies_unasked(self) -> bool:
        """Whether the lowest floor holds for it: a rule, or something said that very probably lasts."""
        if isinstance(self.source, Memory) and is_said(self.source):
            return is_sure(self.source)
        return self.stands

    @property
    def worth(self) -> float:
        """What the floor is measured against."""
        return self.parts["relevance"] * self.parts["kind"] * self.parts["files"]


def score_memory(candidate: RelevantMemory, scene: Scene) -> ScoredEntry:
    """Score a memory."""
    return ScoredEntry(
        candidate.memory,
        {"relevance": candidate.relevance, **memory_parts(candidate.memory, scene)},
        candidate.memory.content,
    )


def score_turn(utterance: Utterance, scene: Scene) -> ScoredEntry:
    """Score what was said."""
    parts = {"relevance": utterance.relevance, **turn_parts(utterance.turn, utterance.deciding, scene)}
    return ScoredEntry(utterance.turn, parts, utterance.text)


BESIDE = 3
"""Turns within which what was said beside an amended rule belongs to it."""

MOST_OF_A_SESSION = 8
"""Settled statements of one session that are compared: two of them can be told."""

COMPARABLE = 1 / 3
"""How relevant what amends must be, compared with what it amends: what is hardly about the prompt changes
nothing."""


class UtteranceStatus(Struct, frozen=True):
    """Evidence, and what took its place."""

    evidence: Utterance
    amended_by: Utterance | None = None


def statement_of(utterance: Utterance) -> SettledStatement:
    """Read evidence as something settled."""
    return SettledStatement(
        utterance.turn.text,
        utterance.around,
        utterance.turn.session,
        utterance.turn.at,
        utterance.order,
        utterance.by_person,
    )


def statement_of_memory(memory: Memory) -> SettledStatement:
    """Read a memory as something settled."""
    return SettledStatement(memory.content, memory.title, memory.session, memory.created_at, 0, stands(memory))


def last_words(evidence: Iterable[Utterance]) -> list[Utterance]:
    """Return what each session settled in the end: a statement that a later one of it takes up again goes."""
    sessions: dict[str, list[tuple[Utterance, SettledStatement]]] = {}
    for utterance in evidence:
        if utterance.settles:
            sessions.setdefault(utterance.turn.session, []).append((utterance, statement_of(utterance)))
    return [
        utterance
        for conclusions in map(_most_telling, sessions.values())
        for utterance, statement in conclusions
        if not any(amendment(later_statement, statement) for _, later_statement in conclusions)
    ]


def _most_telling(
    conclusions: list[tuple[Utterance, SettledStatement]],
) -> list[tuple[Utterance, SettledStatement]]:
    """Return the statements of a session that matter, in their order: a long one settles more than can be told."""
    best = sorted(conclusions, key=lambda pair: -pair[0].relevance * pair[0].deciding)[:MOST_OF_A_SESSION]
    return [pair for pair in conclusions if pair in best] if len(conclusions) > len(best) else conclusions


def utterance_statuses(evidence: Sequence[Utterance]) -> list[UtteranceStatus]:
    """Say of each what later session amended it; the amendment is worth at least what it amends."""
    statements = [(utterance, statement_of(utterance)) for utterance in evidence]
    amendments = {
        utterance.turn.id: _latest_amendment(utterance, statement, statements)
        for utterance, statement in statements
    }
    amendment_by_session = {
        utterance.turn.session: by for utterance in evidence if (by := amendments[utterance.turn.id])
    }
    statuses = []
    for utterance in evidence:
        by = amendments[utterance.turn.id] or _amendment_beside(
            utterance, amendment_by_session.get(utterance.turn.session)
        )
        statuses.append(
            UtteranceStatus(utterance, by.amending) if by else UtteranceStatus(_worthy(utterance, amendments))
        )
    return statuses


def overruled_by_agents(evidence: Iterable[Utterance], by_agents: Sequence[Utterance]) -> list[Utterance]:
    """Return what persons said that agents say otherwise: where an agent's word is told, it stands beside it."""
    agent_statements = [replace(statement_of(utterance), by_person=True) for utterance in by_agents]
    return [
        utterance
        for utterance in evidence
        if utterance.by_person
        and any(amendment(statement, statement_of(utterance)) for statement in agent_statements)
    ]


class _AmendmentPair(Struct, frozen=True):
    """What amends what."""

    amended: Utterance
    amending: Utterance


def _latest_amendment(
    utterance: Utterance, statement: SettledStatement, statements: Sequence[tuple[Utterance, SettledStatement]]
) -> _AmendmentPair | None:
    """Return the latest statement of a later session that amends this one."""
    amending = [
        _AmendmentPair(utterance, later_utterance)
        for later_utterance, newer in statements
        if later_utterance.turn.session != utterance.turn.session
        and later_utterance.relevance >= COMPARABLE * utterance.relevance
        and amendment(newer, statement) is not None
    ]
    return max(amending, key=lambda by: (by.amending.turn.at, by.amending.deciding), default=None)


def _amendment_beside(utterance: Utterance, by: _AmendmentPair | None) -> _AmendmentPair | None:
    """Let what was said beside an amended rule, on the same thing, go with it."""
    if by is None or not later(statement_of(by.amending), statement_of(utterance)):
        return None
    shared_topic = topic_of(utterance.turn.text) & topic_of(f"{by.amending.turn.text}\n{by.amending.around}")
    beside = abs(utterance.order - by.amended.order) <= BESIDE
    return by if shared_topic and beside else None


def _worthy(utterance: Utterance, amendments: dict[str, _AmendmentPair | None]) -> Utterance:
    worth = [by.amended.relevance for by in amendments.values() if by and by.amending.turn.id == utterance.turn.id]
    return replace(utterance, relevance=max((utterance.relevance, *worth)))
