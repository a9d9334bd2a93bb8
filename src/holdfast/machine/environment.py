"""What this process finds around it: the time, the machine's pace and cores, and the agent that started it. Light.

Every limit on what an agent waits for is counted in the pace: a hook's whole time, the reads of a brief, git's
answer, another process's lock. One number for all, so that none of them cuts short what the others would have
allowed. The marks of agents were measured with the real clients (docs/security.md says how far they reach).
"""

import os
import time

TYPE_CHECKING = False  # typing's own, without importing typing: hooks share this module
if TYPE_CHECKING:
    from collections.abc import Mapping

PACE_VARIABLE = "HOLDFAST_HOOK_PACE"
MOST_PACE = 1_000.0
"""Beyond this a limit is none; it is what a machine of tests says that is busy with other things."""

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
    ("CLINE_CONNECTOR_CLI_LAUNCH", "cline"),
    ("ROO_ACTIVE", "roo"),
    ("AI_AGENT", "agent"),
)
"""Variables that agents set for the commands they run, and which agent does. Settings that people export for an
agent (`CLAUDE_CODE_USE_BEDROCK`, `CODEX_HOME`, …) are not among them."""

_UNSET = ("", "0", "false")


def now() -> int:
    """Return epoch milliseconds, UTC."""
    return time.time_ns() // 1_000_000


class SystemClock:
    """`ports.Clock` by the machine's clock."""

    def now(self) -> int:
        return now()


def known_pace() -> float:
    """Return what the environment says, 1 where it says nothing that can be used."""
    value = os.environ.get(PACE_VARIABLE, "")
    return max(1.0, min(float(value), MOST_PACE)) if value.isdecimal() else 1.0


def stretch(milliseconds: int) -> int:
    """Return how long something may take here that may usually take so long."""
    return round(milliseconds * known_pace())


def surrounding_agent(environment: "Mapping[str, str] | None" = None) -> "str | None":
    """Return the agent from inside which this process was started; None when there is no mark of one."""
    variables = os.environ if environment is None else environment
    for name, agent in MARKS:
        if variables.get(name, "").lower() not in _UNSET:
            return agent
    return None


MOST_CORES = 8
"""A bound, not a measurement: two were measured. Handing texts out is one thread's work, so it ends somewhere."""


def usable_cores() -> int:
    """Return how many threads that compute are worth starting."""
    affinity = getattr(os, "sched_getaffinity", None)  # not on every system
    return min(len(affinity(0)) if affinity else os.cpu_count() or 1, MOST_CORES)
