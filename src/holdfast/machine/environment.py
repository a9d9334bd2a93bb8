"""The surroundings of a process: the time, the machine's pace and cores, the agent that started it, the time limit
of statements, and the switches that turn memory off. Light: shared with hooks.

Every limit on what an agent waits for is counted in the pace: a hook's whole time, the reads of a brief, git's
answer, another process's lock. One number for all, so that none of them cuts short what the others would have
allowed. The marks of agents were measured with the real clients (docs/security.md says how far they reach).

A server has few threads, and one that waits for a statement of an embedded store without end serves nobody else:
`statements_within` bounds the statements of one thread. A cleanup that a person runs takes the time that it takes.

Three things switch memory off: `HOLDFAST_DISABLE` in the environment, a pause (a small file in the user's data
directory, for one project or for all), and `project.enabled = false` in the settings, which callers read.
"""

import contextlib
import os
import time
from collections.abc import Iterator, Mapping
from contextvars import ContextVar

from holdfast.machine import disk, paths
from holdfast.model.ids import digest

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


def surrounding_agent(environment: Mapping[str, str] | None = None) -> str | None:
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


_statement_limit: ContextVar[float | None] = ContextVar("statement_limit", default=None)


@contextlib.contextmanager
def statements_within(seconds: float | None) -> Iterator[None]:
    """Let no statement of this thread take longer; None: as long as it takes."""
    before = _statement_limit.set(seconds)
    try:
        yield
    finally:
        _statement_limit.reset(before)


def statement_limit() -> float | None:
    """Return how many seconds a statement of this thread may take; None: as many as it takes."""
    return _statement_limit.get()


OFF_VARIABLE = "HOLDFAST_DISABLE"
EVERYWHERE = "everywhere"
OPTED_OUT = "project.enabled is false. `holdfast config list` shows where; set it to true there to go on."
_NO = ("", "0", "false", "no", "off")


def off_because(root: str) -> str | None:
    """Say why memory is off for a project besides its settings, and how to switch it on; None when it is on."""
    if os.environ.get(OFF_VARIABLE, "").strip().lower() not in _NO:
        return f"{OFF_VARIABLE} is set. Unset it to go on."
    if os.path.exists(_marker(None)):
        return "it is paused everywhere. `holdfast pause off --all` goes on."
    if os.path.exists(_marker(root)):
        return "it is paused for this project. `holdfast pause off` goes on."
    return None


def pause(root: str | None) -> None:
    """Switch memory off for a project, or everywhere."""
    marker = _marker(root)
    paths.make_private(os.path.dirname(marker))
    disk.replace_file(marker, f"{root or EVERYWHERE}\n")


def resume(root: str | None) -> None:
    """Take a pause back; where there is none, nothing happens."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        os.unlink(_marker(root))


def _marker(root: str | None) -> str:
    name = EVERYWHERE
    if root is not None:
        name = digest(os.path.realpath(root))[:32]
    return os.path.join(paths.data_directory(), "paused", name)
