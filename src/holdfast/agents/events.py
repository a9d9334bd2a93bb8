"""What happens in an agent's session, in one vocabulary for every client. Light.

The folder of each client has a module `hook`, with

- `AGENT`: the agent's name in memory and in the rendering of briefs,
- `moment(event, payload)`: the `AgentEvent` that a payload tells of, or None for one that says nothing to memory,
- `answer(event, brief)`: what to print so that the model sees the brief.

Fields that are missing, of another type, or new are passed over: the formats move.
"""

START, PROMPT, TOOL, REPLY, PAUSE, COMPACT, END = EVENT_KINDS = (
    "start",
    "prompt",
    "tool",
    "reply",
    "pause",
    "compact",
    "end",
)
"""PAUSE: the agent waits for its user, in a client that never says that a session ended."""

USER, ASSISTANT, TOOL_ROLE = "user", "assistant", "tool"

CLIENTS = ("claude", "codex", "gemini", "opencode", "copilot", "cursor")
"""Who calls hooks; each is a folder beside this."""


class AgentEvent:
    """One event of a session, as its client told it."""

    __slots__ = ("at", "cwd", "files", "key", "kind", "ref", "session", "source", "text", "tool")

    def __init__(self, kind: str, session: str, cwd: str = "", at: "int | None" = None, key: str = "") -> None:
        self.kind = kind
        self.session = session
        self.cwd = cwd
        self.at = at
        """When the client says that it happened, in epoch milliseconds."""
        self.key = key
        """What two hooks that are told of the same event have in common, besides its words."""
        self.source = ""
        """How a session began: startup, resume, clear, compact."""
        self.text = ""
        self.tool = ""
        self.files: tuple[str, ...] = ()
        self.ref = ""
        """The client's own name for a tool call, the same in its transcript."""

    @property
    def role(self) -> str:
        """Who speaks in it; empty where nobody does."""
        return {PROMPT: USER, REPLY: ASSISTANT, TOOL: TOOL_ROLE}.get(self.kind, "")
