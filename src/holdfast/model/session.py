"""Sessions and their turns, and what is taken from them: a quote, and a note of somebody who read one."""

from collections.abc import Mapping

from msgspec import Struct

SAID, FOUND, ENDED, THREAD = "turn", "finding", "session", "thread"
"""What a quote is taken from: a message, what was read from messages, the summary of a session."""


class Session(Struct, frozen=True, kw_only=True):
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


class Turn(Struct, frozen=True, kw_only=True):
    """One message of a session, kept verbatim: the evidence."""

    id: str
    session: str
    role: str
    text: str
    at: int
    ref: str | None = None
    tool: str | None = None
    files: tuple[str, ...] = ()


class Quote(Struct, frozen=True, kw_only=True):
    """Something that was said or found, and where."""

    id: str
    source: str
    """`turn`, `finding`, `session` or `thread`."""
    kind: str
    """`turn`, `session`, `thread`, or the kind of a finding."""
    content: str
    created_at: int
    session: str | None = None
    role: str | None = None
    """Who said it; of a finding, what it was read from."""
    tool: str | None = None
    files: tuple[str, ...] = ()
    memory: str | None = None
    """The memory that a finding became."""


class ExtractedNote(Struct, frozen=True, kw_only=True):
    """A sentence to remember, and the user's words that it rests on. Both are a model's until they are checked."""

    content: str
    quote: str
    kind: str | None = None


class LearntAgain(Struct, frozen=True, kw_only=True):
    """What judging past sessions again changes: memories that go, and statements that are new."""

    sessions: int
    gone: Mapping[str, str]
    """What goes, by its id."""
    new: tuple[str, ...]
    dry_run: bool
