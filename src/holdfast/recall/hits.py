"""Rows and their scores become hits: what a caller sees."""

from collections.abc import Mapping, Sequence

from holdfast.model.display import title_of
from holdfast.model.kinds import AGENT, COMMIT, IMPORTED, TOOL, USER
from holdfast.model.memory import Memory
from holdfast.model.search import Hit, Term
from holdfast.model.session import Session, Turn
from holdfast.recall.memories import Rating
from holdfast.recall.snippets import snippet


def memory_hit(memory: Memory, rating: Rating, terms: Sequence[Term]) -> Hit:
    """Show a memory."""
    return Hit(
        id=memory.id,
        ref=None,
        session=memory.session,
        title=memory.title,
        kind=memory.kind,
        score=round(rating.score, 4),
        created_at=memory.created_at,
        source=memory.source,
        trust=memory.trust,
        status=memory.status,
        why=_round_parts(rating.why),
        snippet=snippet(memory.content, terms),
        file=memory.files[0] if memory.files else None,
    )


def turn_hit(turn: Turn, rating: Rating, terms: Sequence[Term]) -> Hit:
    """Show a turn; who spoke decides its trust."""
    return Hit(
        id=turn.id,
        ref=turn.ref,
        session=turn.session,
        title=title_of(turn.text),
        kind="turn",
        score=round(rating.score, 4),
        created_at=turn.at,
        source=turn.role,
        trust=_trust(turn),
        status=None,
        why=_round_parts(rating.why),
        snippet=snippet(turn.text, terms),
        file=turn.files[0] if turn.files else None,
    )


def _trust(turn: Turn) -> str:
    if turn.tool:
        return TOOL
    return {"user": USER, COMMIT: IMPORTED}.get(turn.role, AGENT)


def session_hit(session: Session, rating: Rating, terms: Sequence[Term]) -> Hit:
    """Show a session."""
    return Hit(
        id=session.id,
        ref=session.ref,
        session=session.id,
        title=title_of(session.summary) or f"{session.agent} session",
        kind="session",
        score=round(rating.score, 4),
        created_at=session.started_at,
        source=session.agent,
        trust="agent",
        status=session.status,
        why=_round_parts(rating.why),
        snippet=snippet(session.summary, terms),
    )


def _round_parts(parts: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in parts.items()}
