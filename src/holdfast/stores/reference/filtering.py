"""Whether a memory or a turn passes the filters."""

from collections.abc import Sequence

from holdfast.model.kinds import TOOL_ROLES
from holdfast.model.memory import Memory
from holdfast.model.search import Filters
from holdfast.model.session import Session, Turn


def memory_passes(memory: Memory, filters: Filters) -> bool:
    """Say whether a memory counts."""
    return (
        _among(memory.project, filters.projects)
        and (filters.current_at is None or memory.current(filters.current_at))
        and _among(memory.kind, filters.kinds)
        and _among(memory.status, filters.statuses)
        and _among(memory.trust, filters.trusts)
        and _among(memory.agent, filters.agents)
        and _among(memory.branch, filters.branches)
        and _within(memory.created_at, filters)
        and (filters.min_importance is None or memory.importance >= filters.min_importance)
        and (filters.session is None or memory.session == filters.session)
        and (not filters.sources or not set(filters.sources).isdisjoint(memory.sources))
        and set(filters.tags) <= set(memory.tags)
        and _touches(memory.files, filters.file)
        and (not filters.contains or _contains(filters.contains, memory.title, memory.content))
    )


def turn_passes(turn: Turn, session: Session, filters: Filters) -> bool:
    """Say whether a turn counts."""
    return (
        _among(session.project, filters.projects)
        and (filters.session is None or session.id == filters.session)
        and _within(turn.at, filters)
        and _touches(turn.files, filters.file)
        and (not filters.contains or _contains(filters.contains, turn.text))
        and filters.spoken in (None, is_said(turn))
    )


def is_said(turn: Turn) -> bool:
    """Say whether somebody said a turn, and no tool printed it."""
    return turn.tool is None and turn.role.lower() not in TOOL_ROLES


def session_passes(session: Session, filters: Filters) -> bool:
    """Say whether a session counts."""
    return _among(session.agent, filters.agents) and _within(session.started_at, filters)


def _among(value: str | None, choices: Sequence[str]) -> bool:
    return not choices or value in choices


def _within(moment: int, filters: Filters) -> bool:
    after = filters.since is None or moment >= filters.since
    return after and (filters.until is None or moment < filters.until)


def _touches(paths: Sequence[str], filter_path: str | None) -> bool:
    if not filter_path:
        return True
    path = filter_path.rstrip("/")
    return any(file == path or file.startswith(f"{path}/") or file.endswith(f"/{path}") for file in paths)


def _contains(phrase: str, *texts: str) -> bool:
    return any(phrase.casefold() in text.casefold() for text in texts)
