"""Whether this process was started from inside a coding agent: the marks that agents leave in the environment.

Measured with the real clients (docs/security.md says how far this reaches). Light.
"""

import os

TYPE_CHECKING = False  # typing's own, without importing typing
if TYPE_CHECKING:
    from collections.abc import Mapping

MARKS = (
    ("CLAUDECODE", "claude-code"),
    ("CLAUDE_CODE_ENTRYPOINT", "claude-code"),
    ("CODEX_THREAD_ID", "codex"),
    ("CODEX_SESSION_ID", "codex"),
    ("CODEX_SANDBOX", "codex"),
    ("CODEX_SANDBOX_NETWORK_DISABLED", "codex"),
    ("CODEX_CI", "codex"),
    ("GEMINI_CLI", "gemini"),
    ("OPENCODE", "opencode"),
    ("OPENCODE_PID", "opencode"),
    ("COPILOT_CLI", "copilot"),
    ("COPILOT_AGENT_SESSION_ID", "copilot"),
    ("CURSOR_AGENT", "cursor"),
    ("CURSOR_TRACE_ID", "cursor"),
    ("CLINE_ACTIVE", "cline"),
    ("AI_AGENT", "agent"),
)
"""Variables that agents set for the commands they run, and which agent does. Settings that people export for an
agent (`CLAUDE_CODE_USE_BEDROCK`, `CODEX_HOME`, …) are not among them."""

_UNSET = ("", "0", "false")


def surrounding_agent(environment: "Mapping[str, str] | None" = None) -> "str | None":
    """Return the agent from inside which this process was started; None when there is no mark of one."""
    variables = os.environ if environment is None else environment
    for name, agent in MARKS:
        if variables.get(name, "").lower() not in _UNSET:
            return agent
    return None
