"""The newest rule wins: what a later statement amends is left out.

A session speaks last: of its own statements the later stands for the earlier. Across sessions the amendment is
looked for, because it may share few words with the prompt: a rule that is found may have been changed by one that
is not.
"""

from collections.abc import Iterable, Sequence

from holdfast.model.memory import Memory
from holdfast.model.value import Value, replace
from holdfast.recall.brief.amendments import SettledStatement, amendment, later, topic_of
from holdfast.recall.brief.evidence import Utterance
from holdfast.recall.brief.weights import stands

BESIDE = 3
"""Turns within which what was said beside an amended rule belongs to it."""

MOST_OF_A_SESSION = 8
"""Settled statements of one session that are compared: two of them can be told."""

COMPARABLE = 1 / 3
"""How relevant what amends must be, compared with what it amends: what is hardly about the prompt changes
nothing."""


class UtteranceStatus(Value):
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


class _AmendmentPair(Value):
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
