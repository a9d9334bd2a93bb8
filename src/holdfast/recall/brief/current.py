"""The newest rule wins: what a later statement amends is left out.

A session speaks last: of its own statements the later stands for the earlier. Across sessions the amendment is
looked for, because it may share few words with the prompt: a rule that is found may have been changed by one that
is not.
"""

from collections.abc import Iterable, Sequence

from holdfast.model.memory import Memory
from holdfast.model.value import Value, replace
from holdfast.recall.brief.amendments import Statement, amendment, later, topic_of
from holdfast.recall.brief.evidence import Evidence
from holdfast.recall.brief.weights import stands

BESIDE = 3
"""Turns within which what was said beside an amended rule belongs to it."""

MOST_OF_A_SESSION = 8
"""Settled statements of one session that are compared: two of them can be told."""

COMPARABLE = 1 / 3
"""How relevant what amends must be, compared with what it amends: what is hardly about the prompt changes
nothing."""


class Standing(Value):
    """Evidence, and what took its place."""

    evidence: Evidence
    amended_by: Evidence | None = None


def statement_of(one: Evidence) -> Statement:
    """Read evidence as something settled."""
    return Statement(one.turn.text, one.around, one.turn.session, one.turn.at, one.order, one.by_person)


def statement_of_memory(memory: Memory) -> Statement:
    """Read a memory as something settled."""
    return Statement(memory.content, memory.title, memory.session, memory.created_at, 0, stands(memory))


def last_words(evidence: Iterable[Evidence]) -> list[Evidence]:
    """Return what each session settled in the end: a statement that a later one of it takes up again goes."""
    sessions: dict[str, list[tuple[Evidence, Statement]]] = {}
    for one in evidence:
        if one.settles:
            sessions.setdefault(one.turn.session, []).append((one, statement_of(one)))
    return [
        one
        for settled in map(_most_telling, sessions.values())
        for one, said in settled
        if not any(amendment(other, said) for _, other in settled)
    ]


def _most_telling(settled: list[tuple[Evidence, Statement]]) -> list[tuple[Evidence, Statement]]:
    """Return the statements of a session that matter, in their order: a long one settles more than can be told."""
    best = sorted(settled, key=lambda pair: -pair[0].relevance * pair[0].deciding)[:MOST_OF_A_SESSION]
    return [pair for pair in settled if pair in best] if len(settled) > len(best) else settled


def standing(evidence: Sequence[Evidence]) -> list[Standing]:
    """Say of each what later session amended it; the amendment is worth at least what it amends."""
    said = [(one, statement_of(one)) for one in evidence]
    amended = {one.turn.id: _amended(one, statement, said) for one, statement in said}
    replaced = {one.turn.session: by for one in evidence if (by := amended[one.turn.id])}
    found = []
    for one in evidence:
        by = amended[one.turn.id] or _dragged(one, replaced.get(one.turn.session))
        found.append(Standing(one, by.amending) if by else Standing(_worthy(one, amended)))
    return found


def overruled(evidence: Iterable[Evidence], by_agents: Sequence[Evidence]) -> list[Evidence]:
    """Return what persons said that agents say otherwise: where an agent's word is told, it stands beside it."""
    said = [replace(statement_of(one), by_person=True) for one in by_agents]
    return [
        one for one in evidence if one.by_person and any(amendment(other, statement_of(one)) for other in said)
    ]


class _By(Value):
    """What amends what."""

    amended: Evidence
    amending: Evidence


def _amended(one: Evidence, statement: Statement, said: Sequence[tuple[Evidence, Statement]]) -> _By | None:
    """Return the latest statement of a later session that amends this one."""
    amending = [
        _By(one, other)
        for other, newer in said
        if other.turn.session != one.turn.session
        and other.relevance >= COMPARABLE * one.relevance
        and amendment(newer, statement) is not None
    ]
    return max(amending, key=lambda by: (by.amending.turn.at, by.amending.deciding), default=None)


def _dragged(one: Evidence, by: _By | None) -> _By | None:
    """Let what was said beside an amended rule, on the same thing, go with it."""
    if by is None or not later(statement_of(by.amending), statement_of(one)):
        return None
    shared = topic_of(one.turn.text) & topic_of(f"{by.amending.turn.text}\n{by.amending.around}")
    beside = abs(one.order - by.amended.order) <= BESIDE
    return by if shared and beside else None


def _worthy(one: Evidence, amended: dict[str, _By | None]) -> Evidence:
    worth = [by.amended.relevance for by in amended.values() if by and by.amending.turn.id == one.turn.id]
    return replace(one, relevance=max((one.relevance, *worth)))
