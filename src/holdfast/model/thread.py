"""Threads: stretches of talk on one subject, with what was settled there, in order."""

from msgspec import Struct

TITLE_CHARS = 60
"""The longest title."""


class ThreadStatement(Struct, frozen=True, kw_only=True):
    """Something in a thread that lasts: words of a turn, or a memory that was added by hand."""

    turn: str | None
    """The turn whose characters say it; None for a memory that no talk is behind."""
    start: int = 0
    end: int = 0
    lasts: float = 1.0
    """The judge's probability."""
    trust: str
    """Whose word it is: a person's, or an agent's that a person accepted."""
    memory: str | None = None
    """The memory that it is."""
    replaced_by: str | None = None
    """The thread in which a later statement took its place."""


class Thread(Struct, frozen=True, kw_only=True):
    """A stretch of a session's talk, from its first turn up to the first turn of the next thread."""

    id: str
    session: str | None
    """None for a thread of memories that were added by hand."""
    first: str | None
    """The turn that it begins with."""
    title: str
    at: int
    files: tuple[str, ...] = ()
    statements: tuple[ThreadStatement, ...] = ()

    @property
    def standing(self) -> tuple[ThreadStatement, ...]:
        """The statements that nothing later replaced."""
        return tuple(statement for statement in self.statements if statement.replaced_by is None)
