"""The closed vocabularies of a memory: kind, status, trust, scope. Plain constants, shared with hooks."""

DECISION = "decision"
OBSERVATION = "observation"

FADES_AFTER_DAYS = {
    "decision": None,
    "architecture": None,
    "preference": None,
    "pattern": 180,
    "fact": 180,
    "error": 90,
    "bugfix": 90,
    "feature": 90,
    "refactor": 90,
    "warning": 30,
    "discovery": 21,
    "file_change": 21,
    "change": 21,
    "observation": 21,
    "task_progress": 14,
}
"""Days after which an unread memory of the kind is hidden; None: never by age."""

KINDS = tuple(FADES_AFTER_DAYS)

CANDIDATE, CONFIRMED, PINNED = STATUSES = ("candidate", "confirmed", "pinned")
USER, AGENT, TOOL, IMPORTED = TRUSTS = ("user", "agent", "tool", "imported")
SCOPES = ("project", "user")
USER_PROJECT = "user"
"""What the user's own store calls its project."""

MODES = ("keyword", "vector", "hybrid")
KNOWN = "known"
"""Memories and what was said: what a search goes through unless it is told where to look."""

TOOL_OUTPUT = "tool"
"""What tools printed; no other target holds it."""

TARGETS = (KNOWN, "memories", "turns", TOOL_OUTPUT, "sessions", "all")
GENERIC_ROLES = frozenset(("user", "human", "assistant", "system", "tool", "agent", "model", "developer"))
"""Roles of a turn that are no speaker's name; `turn.speaker` in the schema holds the same list."""

COMMIT = "commit"
"""The role of a turn that is a commit's message: read from the history, said to nobody."""

AGENT_ROLES = frozenset(("assistant", "system", "tool", "agent", "model"))
"""Roles that are no person; `session.size` in the schema holds the same list."""

PERSON_ROLES = frozenset(("user", "human"))
RELAYED = "relayed"
"""The role of what a person said by the word of somebody else, such as an agent or the bearer of a write token: it
is kept and found, but proves nothing, and what is learnt from it waits for a person."""

SPEAKING_AGENTS = frozenset(("assistant", "agent", "model", "ai", "bot"))
TOOL_ROLE = "tool"
"""Who speaks to whom, as findings are read; all roles are compared in lower case."""

TOOL_ROLES = frozenset(("tool", "system"))
"""Roles of what nobody said; `turn_filter` in the queries holds the same list."""

ACTIVE, COMPLETED = ("active", "completed")

HOOKS_ACTOR, MCP_ACTOR, EXTRACTOR_ACTOR = LEARNERS = ("hooks", "mcp", "extractor")
"""Whom the audit log names where something is learnt from sessions: those who take in what hooks recorded, agents
by their tools, and the user's extractor."""

HISTORY = "git"
"""The source of a memory that came from a commit's message."""

PROMOTED = "promoted"
"""The source of a memory that came from a session's findings by itself."""

TIER = "tier"
"""The key of a promoted memory's metadata that holds `said` where the judge alone found it lasting."""

READ_BY_PERSON = "read_by_person"
"""The key of a promoted memory's metadata that says that a person read it: an agent's read confirms nothing."""

QUARANTINE = "quarantine"
"""The key of a promoted memory's metadata that says how its first day went; it is judged once."""

BEFORE_EDIT = "before_edit"
"""The key of a memory's metadata that holds its words before a person edited it: the edit can be taken back."""
