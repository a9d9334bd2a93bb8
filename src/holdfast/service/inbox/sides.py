"""A memory as a person has to see it to decide: what it says, who said it, and the words it was read from."""

from collections.abc import Sequence

from holdfast.model.display import shorten
from holdfast.model.finding import Finding
from holdfast.model.ids import short_id
from holdfast.model.inbox import Quotation, Side
from holdfast.model.memory import Memory
from holdfast.model.session import Turn
from holdfast.ports import Store
from holdfast.service.scopes import Scopes

MOST_QUOTED = 3
"""Passages that are shown of what an entry was read from."""

PASSAGE_CHARS = 300
"""Characters of one of them: a long turn is read with `holdfast get`."""


class Sides:
    """What makes sides of memories. Only the project's store has turns, whichever store has the memory."""

    def __init__(self, scopes: Scopes) -> None:
        self._scopes = scopes

    def of(self, memories: Sequence[Memory], newer: Memory | None = None) -> tuple[Side, ...]:
        """Return memories as sides, in order; of two that disagree, the newer is marked."""
        return tuple(self._side(memory, newer=memory is newer) for memory in memories)

    def _side(self, memory: Memory, *, newer: bool) -> Side:
        return Side(
            id=memory.id,
            short=self._scopes.short(memory.id),
            kind=memory.kind,
            title=memory.title,
            content=memory.content,
            status=memory.status,
            trust=memory.trust,
            source=memory.source,
            user=memory.user,
            agent=memory.agent,
            session=memory.session,
            said_at=memory.valid_from,
            importance=memory.importance,
            newer=newer,
            quotations=self._quotations(memory),
        )

    def _quotations(self, memory: Memory) -> tuple[Quotation, ...]:
        store = self._scopes.project
        passages = _passages(store.findings.behind([memory.id]))
        turns = {turn.id: turn for turn in store.turns.get([turn for turn, _, _ in passages])}
        known_passages = [(turns[turn], start, end) for turn, start, end in passages if turn in turns]
        return tuple(
            _quotation(store, turn, turn.text[start:end]) for turn, start, end in known_passages[:MOST_QUOTED]
        )


def _passages(findings: Sequence[Finding]) -> list[tuple[str, int, int]]:
    """Return where findings were read, each place once, in the order it was said."""
    places = {
        (evidence.turn, evidence.start, evidence.end) for finding in findings for evidence in finding.evidence
    }
    return sorted(places)


def _quotation(store: Store, turn: Turn, words: str) -> Quotation:
    session = store.sessions.get(turn.session)
    return Quotation(
        text=shorten(words, PASSAGE_CHARS),
        role=turn.role,
        at=turn.at,
        session=turn.session,
        session_short=short_id(turn.session, store.sessions.ending(turn.session[-8:])),
        agent=session.agent if session else "unknown",
        turn=turn.id,
    )
