"""What a brief shows beside memories, read in full: something said, found in it, or how a session went."""

from holdfast.model.value import Value

SAID, FOUND, ENDED = QUOTED = ("turn", "finding", "session")
"""What a quote is taken from: a message, what was read from messages, the summary of a session."""


class Quote(Value, kw_only=True):
    """Something that was said or found, and where."""

    id: str
    source: str
    """`turn`, `finding` or `session`."""
    kind: str
    """`turn`, `session`, or the kind of a finding."""
    content: str
    created_at: int
    session: str | None = None
    role: str | None = None
    """Who said it; of a finding, what it was read from."""
    tool: str | None = None
    files: tuple[str, ...] = ()
    memory: str | None = None
    """The memory that a finding became."""
