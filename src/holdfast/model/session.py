"""Sessions and their turns."""

from holdfast.model.value import Value


class Session(Value, kw_only=True):
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
    read_to: str | None = None
    """The last turn that findings were read from."""
    turns_read: int = 0
    forked_at: str | None = None
    """The last turn of its parent when it was forked: what it goes on from."""
    heard_at: int | None = None
    """When its last turn arrived, which for an old transcript is long after it was said."""


class Turn(Value, kw_only=True):
    """One message of a session, kept verbatim: the evidence."""

    id: str
    session: str
    role: str
    text: str
    at: int
    ref: str | None = None
    tool: str | None = None
    files: tuple[str, ...] = ()
