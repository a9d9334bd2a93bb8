"""Sessions, their turns, and what is found in them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One run of one agent."""

    id: str
    project: str
    tenant: str
    user: str
    agent: str
    status: str
    ref: str | None = None
    parent: str | None = None
    started_at: int
    ended_at: int | None = None
    last_turn_at: int | None = None
    summary: str = ""
    tool_calls: int = 0
    turns: int = 0
    private_depth: int = 0
    """How many private blocks its last turn left open; what is said inside them is not kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message of a session, kept verbatim: the evidence."""

    id: str
    session: str
    role: str
    text: str
    at: int
    ref: str | None = None
    tool: str | None = None
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something extracted from turns by rule; records the memory that it became."""

    id: str
    session: str
    turn: str
    span: tuple[int, int]
    kind: str
    content: str
    fingerprint: str
    importance: float
    confidence: float
    created_at: int
    memory: str | None = None
