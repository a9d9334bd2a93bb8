"""A session that an agent wrote down, and where."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from holdfast.agents.events import AgentEvent

Belongs = Callable[[str], bool]
"""Says whether a directory is one of the project's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """One session, or the part of one that a helper did for the agent."""

    client: str
    session: str
    moments: Iterable[AgentEvent]
    parent: str = ""
    """The session that a helper worked for."""
    helper: str = ""
    """What sort of helper it was; empty for the session that a person had."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a session and its helpers are written down."""

    name: str
    stamp: str
    """Another one means that something was written since."""
    touched: int
    """When something was last written, in epoch milliseconds."""
    read: Callable[[], Iterable[Past]]
